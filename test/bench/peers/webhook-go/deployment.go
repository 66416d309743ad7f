package main

import (
	"fmt"
	"strconv"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	leastReplicas = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size"
	mostReplicas  = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size"
)

var (
	selectorPath = specPath.Child("selector")
	templatePath = specPath.Child("template")
	strategyPath = specPath.Child("strategy")
)

func deploymentErrors(now, before *v1alpha1.MachineDeployment) field.ErrorList {
	var beforeMeta, beforeTemplate *metav1.ObjectMeta
	var beforeSpec *v1alpha1.MachineSpec
	var beforeSelector *metav1.LabelSelector
	if before != nil {
		beforeMeta, beforeTemplate = &before.ObjectMeta, &before.Spec.Template.ObjectMeta
		beforeSpec, beforeSelector = &before.Spec.Template.Spec, before.Spec.Selector
	}
	errs := objectErrors(&now.ObjectMeta, beforeMeta)
	errs = append(errs, templateErrors(&now.Spec.Template.ObjectMeta, beforeTemplate)...)
	errs = append(errs, specErrors(templatePath.Child("spec"), &now.Spec.Template.Spec, beforeSpec)...)
	errs = append(errs, selectorErrors(now.Spec.Selector, beforeSelector, now.Spec.Template.Labels)...)
	errs = append(errs, numberErrors(&now.Spec)...)
	errs = append(errs, strategyErrors(&now.Spec.Strategy)...)
	return append(errs, boundErrors(now.Annotations)...)
}

func templateErrors(now, before *metav1.ObjectMeta) field.ErrorList {
	path := templatePath.Child("metadata")
	errs := clusterErrors(path.Child("labels"), now.Labels, labelsOf(before))
	errs = append(errs, priorityErrors(path.Child("annotations"), now.Annotations)...)
	errs = append(errs, protectedErrors(path.Child("annotations"), now.Annotations, annotationsOf(before))...)
	errs = append(errs, protectedErrors(path.Child("labels"), now.Labels, labelsOf(before))...)
	return append(errs, carriedErrors(path, now)...)
}

// selectorErrors holds for what picks the machines: it says something, fits the template, and stays.
func selectorErrors(now, before *metav1.LabelSelector, template map[string]string) field.ErrorList {
	if now == nil || len(now.MatchLabels)+len(now.MatchExpressions) == 0 {
		return field.ErrorList{field.Required(selectorPath, "must not be empty")}
	}
	errs := metav1validation.ValidateLabelSelector(now, metav1validation.LabelSelectorValidationOptions{}, selectorPath)
	selector, err := metav1.LabelSelectorAsSelector(now)
	if err == nil && !selector.Matches(labels.Set(template)) {
		errs = append(errs, field.Invalid(selectorPath, selector.String(), "must match spec.template.metadata.labels"))
	}
	if before != nil && !equality.Semantic.DeepEqual(now, before) {
		errs = append(errs, field.Invalid(selectorPath, metav1.FormatLabelSelector(now), "is immutable"))
	}
	return errs
}

func numberErrors(spec *v1alpha1.MachineDeploymentSpec) field.ErrorList {
	var errs field.ErrorList
	if spec.Replicas < 0 {
		errs = append(errs, field.Invalid(specPath.Child("replicas"), spec.Replicas, "must not be negative"))
	}
	if spec.MinReadySeconds < 0 {
		errs = append(errs, field.Invalid(specPath.Child("minReadySeconds"), spec.MinReadySeconds, "must not be negative"))
	}
	if limit := spec.RevisionHistoryLimit; limit != nil && *limit < 0 {
		errs = append(errs, field.Invalid(specPath.Child("revisionHistoryLimit"), *limit, "must not be negative"))
	}
	if deadline := spec.ProgressDeadlineSeconds; deadline != nil && *deadline < spec.MinReadySeconds {
		path := specPath.Child("progressDeadlineSeconds")
		errs = append(errs, field.Invalid(path, *deadline, "must not be less than spec.minReadySeconds"))
	}
	return errs
}

func strategyErrors(strategy *v1alpha1.MachineDeploymentStrategy) field.ErrorList {
	switch strategy.Type {
	case v1alpha1.RollingUpdateMachineDeploymentStrategyType:
		if strategy.RollingUpdate == nil || strategy.InPlaceUpdate != nil {
			return field.ErrorList{field.Invalid(strategyPath, strategy.Type, "goes with rollingUpdate alone")}
		}
		return limitErrors(strategyPath.Child("rollingUpdate"), &strategy.RollingUpdate.UpdateConfiguration)
	case v1alpha1.InPlaceUpdateMachineDeploymentStrategyType:
		if strategy.InPlaceUpdate == nil || strategy.RollingUpdate != nil {
			return field.ErrorList{field.Invalid(strategyPath, strategy.Type, "goes with inPlaceUpdate alone")}
		}
		return limitErrors(strategyPath.Child("inPlaceUpdate"), &strategy.InPlaceUpdate.UpdateConfiguration)
	case v1alpha1.RecreateMachineDeploymentStrategyType:
		return nil
	}
	return field.ErrorList{field.NotSupported(strategyPath.Child("type"), strategy.Type, []string{"RollingUpdate", "InPlaceUpdate", "Recreate"})}
}

// limitErrors says that there are a surge and a number of missing machines.
func limitErrors(path *field.Path, limits *v1alpha1.UpdateConfiguration) field.ErrorList {
	const hundred = 100
	surge, surgeErr := intstr.GetScaledValueFromIntOrPercent(limits.MaxSurge, hundred, true)
	missing, missingErr := intstr.GetScaledValueFromIntOrPercent(limits.MaxUnavailable, hundred, true)
	if surgeErr != nil || missingErr != nil || surge < 0 || missing < 0 {
		return field.ErrorList{field.Invalid(path, limits, "must have counts or percentages")}
	}
	return nil
}

func boundErrors(annotations map[string]string) field.ErrorList {
	least, most, err := bounds(annotations)
	if err != nil || least > most {
		return field.ErrorList{field.Invalid(annotationsPath, annotations[leastReplicas], "must have whole numbers, the smaller one first")}
	}
	return nil
}

func deploymentWarnings(now *v1alpha1.MachineDeployment) []string {
	least, most, err := bounds(now.Annotations)
	if err != nil || most == 0 || (int(now.Spec.Replicas) >= least && int(now.Spec.Replicas) <= most) {
		return nil
	}
	return []string{fmt.Sprintf("spec.replicas: is %d, outside the bounds %d to %d", now.Spec.Replicas, least, most)}
}

func bounds(annotations map[string]string) (least, most int, err error) {
	if text, found := annotations[leastReplicas]; found {
		if least, err = strconv.Atoi(text); err != nil {
			return 0, 0, err
		}
	}
	if text, found := annotations[mostReplicas]; found {
		most, err = strconv.Atoi(text)
	}
	return least, most, err
}
