package main

import (
	"context"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// machineDefaults fills in what a Machine leaves out.
type machineDefaults struct{}

func (machineDefaults) Default(ctx context.Context, object runtime.Object) error {
	return noteCreator(ctx, &object.(*v1alpha1.Machine).ObjectMeta)
}

// deploymentDefaults fills in what a MachineDeployment leaves out.
type deploymentDefaults struct{}

func (deploymentDefaults) Default(ctx context.Context, object runtime.Object) error {
	deployment := object.(*v1alpha1.MachineDeployment)
	strategy := &deployment.Spec.Strategy
	switch {
	case strategy.Type == v1alpha1.RollingUpdateMachineDeploymentStrategyType && strategy.RollingUpdate == nil:
		strategy.RollingUpdate = &v1alpha1.RollingUpdateMachineDeployment{UpdateConfiguration: limits()}
	case strategy.Type == v1alpha1.InPlaceUpdateMachineDeploymentStrategyType && strategy.InPlaceUpdate == nil:
		auto := v1alpha1.OrchestrationTypeAuto
		strategy.InPlaceUpdate = &v1alpha1.InPlaceUpdateMachineDeployment{UpdateConfiguration: limits(), OrchestrationType: auto}
	}
	template := &deployment.Spec.Template.ObjectMeta
	if cluster := deployment.Labels[clusterLabel]; cluster != "" && template.Labels[clusterLabel] == "" {
		metav1.SetMetaDataLabel(template, clusterLabel, cluster)
	}
	return noteCreator(ctx, &deployment.ObjectMeta)
}

func limits() v1alpha1.UpdateConfiguration {
	surge, unavailable := intstr.FromInt32(1), intstr.FromInt32(0)
	return v1alpha1.UpdateConfiguration{MaxSurge: &surge, MaxUnavailable: &unavailable}
}

// noteCreator writes down who creates an object that no controller owns.
func noteCreator(ctx context.Context, meta *metav1.ObjectMeta) error {
	request, err := admission.RequestFromContext(ctx)
	if err != nil {
		return err
	}
	if request.Operation == "CREATE" && metav1.GetControllerOf(meta) == nil {
		metav1.SetMetaDataAnnotation(meta, createdBy, request.UserInfo.Username)
	}
	return nil
}
