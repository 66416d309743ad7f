package main

import (
	"strings"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var (
	specPath       = field.NewPath("spec")
	reservedTaints = []string{"node.kubernetes.io/", "node.cloudprovider.kubernetes.io/"}
)

func machineErrors(now, before *v1alpha1.Machine) field.ErrorList {
	if before == nil {
		return append(objectErrors(&now.ObjectMeta, nil), specErrors(specPath, &now.Spec, nil)...)
	}
	errs := objectErrors(&now.ObjectMeta, &before.ObjectMeta)
	errs = append(errs, specErrors(specPath, &now.Spec, &before.Spec)...)
	if before.Spec.ProviderID == "" {
		return errs
	}
	if now.Spec.ProviderID != before.Spec.ProviderID {
		errs = append(errs, field.Invalid(specPath.Child("providerID"), now.Spec.ProviderID, "is set once"))
	}
	if now.Spec.Class != before.Spec.Class {
		errs = append(errs, field.Invalid(specPath.Child("class"), now.Spec.Class.Name, "stays, the machine has a VM"))
	}
	if before.Labels[clusterLabel] == "" && now.Labels[clusterLabel] != "" {
		errs = append(errs, field.Invalid(labelsPath.Key(clusterLabel), now.Labels[clusterLabel], "the machine has a VM"))
	}
	return errs
}

func machineWarnings(now *v1alpha1.Machine) []string {
	return scalerWarnings(now.Annotations)
}

// specErrors holds for the spec of a Machine and of a template; an update is judged by what it changes.
func specErrors(path *field.Path, now, before *v1alpha1.MachineSpec) field.ErrorList {
	var errs field.ErrorList
	if before == nil || now.Class != before.Class {
		errs = append(errs, classErrors(path.Child("class"), now.Class)...)
	}
	if before == nil || !equality.Semantic.DeepEqual(now.NodeTemplateSpec, before.NodeTemplateSpec) {
		template := path.Child("nodeTemplate")
		errs = append(errs, carriedErrors(template.Child("metadata"), &now.NodeTemplateSpec.ObjectMeta)...)
		errs = append(errs, taintErrors(template.Child("spec", "taints"), now.NodeTemplateSpec.Spec.Taints)...)
	}
	if before == nil || !equality.Semantic.DeepEqual(now.MachineConfiguration, before.MachineConfiguration) {
		errs = append(errs, configurationErrors(path, now.MachineConfiguration)...)
	}
	return errs
}

func classErrors(path *field.Path, class v1alpha1.ClassSpec) field.ErrorList {
	var errs field.ErrorList
	if class.Kind != "MachineClass" {
		errs = append(errs, field.NotSupported(path.Child("kind"), class.Kind, []string{"MachineClass"}))
	}
	if class.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), "must be the name of a MachineClass of this namespace"))
	}
	return errs
}

func taintErrors(path *field.Path, taints []corev1.Taint) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for index, taint := range taints {
		at := path.Index(index)
		errs = append(errs, metav1validation.ValidateLabelName(taint.Key, at.Child("key"))...)
		for _, wrong := range validation.IsValidLabelValue(taint.Value) {
			errs = append(errs, field.Invalid(at.Child("value"), taint.Value, wrong))
		}
		for _, prefix := range reservedTaints {
			if strings.HasPrefix(taint.Key, prefix) {
				errs = append(errs, field.Forbidden(at.Child("key"), "is put on Nodes by Kubernetes"))
			}
		}
		id := taint.Key + ":" + string(taint.Effect)
		if seen[id] {
			errs = append(errs, field.Duplicate(at, id))
		}
		seen[id] = true
	}
	return errs
}

func configurationErrors(path *field.Path, configuration *v1alpha1.MachineConfiguration) field.ErrorList {
	if configuration == nil {
		return nil
	}
	var errs field.ErrorList
	timeouts := map[string]*metav1.Duration{
		"drainTimeout":         configuration.MachineDrainTimeout,
		"healthTimeout":        configuration.MachineHealthTimeout,
		"creationTimeout":      configuration.MachineCreationTimeout,
		"inPlaceUpdateTimeout": configuration.MachineInPlaceUpdateTimeout,
	}
	for name, timeout := range timeouts {
		if timeout != nil && timeout.Duration <= 0 {
			errs = append(errs, field.Invalid(path.Child(name), timeout.String(), "must be longer than 0"))
		}
	}
	if retries := configuration.MaxEvictRetries; retries != nil && *retries < 0 {
		errs = append(errs, field.Invalid(path.Child("maxEvictRetries"), *retries, "must not be negative"))
	}
	return errs
}
