package main

import (
	"context"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// machineRules judges Machines.
type machineRules struct{}

func (machineRules) ValidateCreate(_ context.Context, object runtime.Object) (admission.Warnings, error) {
	now := object.(*v1alpha1.Machine)
	return verdict("Machine", now, machineWarnings(now), machineErrors(now, nil))
}

func (machineRules) ValidateUpdate(_ context.Context, old, object runtime.Object) (admission.Warnings, error) {
	now, before := object.(*v1alpha1.Machine), old.(*v1alpha1.Machine)
	if before.DeletionTimestamp != nil {
		return nil, nil
	}
	return verdict("Machine", now, machineWarnings(now), machineErrors(now, before))
}

func (machineRules) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

// deploymentRules judges MachineDeployments.
type deploymentRules struct{}

func (deploymentRules) ValidateCreate(_ context.Context, object runtime.Object) (admission.Warnings, error) {
	now := object.(*v1alpha1.MachineDeployment)
	return verdict("MachineDeployment", now, deploymentWarnings(now), deploymentErrors(now, nil))
}

func (deploymentRules) ValidateUpdate(_ context.Context, old, object runtime.Object) (admission.Warnings, error) {
	now, before := object.(*v1alpha1.MachineDeployment), old.(*v1alpha1.MachineDeployment)
	if before.DeletionTimestamp != nil {
		return nil, nil
	}
	return verdict("MachineDeployment", now, deploymentWarnings(now), deploymentErrors(now, before))
}

func (deploymentRules) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func verdict(kind string, object metav1.Object, warnings admission.Warnings, errs field.ErrorList) (admission.Warnings, error) {
	if len(errs) == 0 {
		return warnings, nil
	}
	groupKind := v1alpha1.SchemeGroupVersion.WithKind(kind).GroupKind()
	return warnings, apierrors.NewInvalid(groupKind, object.GetName(), errs)
}
