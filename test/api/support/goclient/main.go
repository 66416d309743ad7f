// Goclient writes as MCM and the cluster-autoscaler do: with MCM's own types, which drop what they do not know.
// It prints each warning of the API server on a line of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/client/clientset/versioned"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const usage = `usage: goclient <kubeconfig> <namespace> <deed>
  scale <machinedeployment> <replicas>
  label <machine> <key> <value>
  terminate <machine>`

func main() {
	if len(os.Args) < 5 {
		fail(errors.New(usage))
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	fail(err)
	config.WarningHandler = rest.NewWarningWriter(os.Stdout, rest.WarningWriterOptions{})
	clients, err := versioned.NewForConfig(config)
	fail(err)
	fail(do(clients, os.Args[2], os.Args[3], os.Args[4:]))
}

func do(clients versioned.Interface, namespace, deed string, arguments []string) error {
	switch {
	case deed == "scale" && len(arguments) == 2:
		return scale(clients, namespace, arguments[0], arguments[1])
	case deed == "label" && len(arguments) == 3:
		return label(clients, namespace, arguments[0], arguments[1], arguments[2])
	case deed == "terminate" && len(arguments) == 1:
		return terminate(clients, namespace, arguments[0])
	}
	return errors.New(usage)
}

// scale sets the replicas as the cluster-autoscaler's MCM provider does.
func scale(clients versioned.Interface, namespace, name, replicas string) error {
	deployments := clients.MachineV1alpha1().MachineDeployments(namespace)
	deployment, err := deployments.Get(context.TODO(), name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	wanted, err := strconv.ParseInt(replicas, 10, 32)
	if err != nil {
		return err
	}
	deployment.Spec.Replicas = int32(wanted)
	_, err = deployments.Update(context.TODO(), deployment, metav1.UpdateOptions{})
	return err
}

// label adds a label as MCM does when it adopts a Machine.
func label(clients versioned.Interface, namespace, name, key, value string) error {
	machines := clients.MachineV1alpha1().Machines(namespace)
	machine, err := machines.Get(context.TODO(), name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	metav1.SetMetaDataLabel(&machine.ObjectMeta, key, value)
	_, err = machines.Update(context.TODO(), machine, metav1.UpdateOptions{})
	return err
}

// terminate writes the status that MCM's MachineSet controller writes after it deleted a Machine.
func terminate(clients versioned.Interface, namespace, name string) error {
	machines := clients.MachineV1alpha1().Machines(namespace)
	machine, err := machines.Get(context.TODO(), name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	machine.Status.LastOperation = v1alpha1.LastOperation{
		Description:    "Deleting machine from cloud provider",
		State:          v1alpha1.MachineStateProcessing,
		Type:           v1alpha1.MachineOperationDelete,
		LastUpdateTime: metav1.Now(),
	}
	machine.Status.CurrentStatus = v1alpha1.CurrentStatus{
		Phase:          v1alpha1.MachineTerminating,
		LastUpdateTime: metav1.Now(),
	}
	_, err = machines.UpdateStatus(context.TODO(), machine, metav1.UpdateOptions{})
	return err
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
