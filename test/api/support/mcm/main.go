// Mcm is Gardener's machine-controller-manager, both of its programs in one process, with a driver for the virtual cloud:
// for tests in which Drover takes over from it, or it from Drover; or only the second, which makes machines, beside Drover.
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	manager "github.com/gardener/machine-controller-manager/cmd/machine-controller-manager/app"
	manageroptions "github.com/gardener/machine-controller-manager/cmd/machine-controller-manager/app/options"
	provider "github.com/gardener/machine-controller-manager/pkg/util/provider/app"
	provideroptions "github.com/gardener/machine-controller-manager/pkg/util/provider/app/options"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const usage = "usage: mcm <kubeconfig> <namespace> <port of the manager, or none> <port of the provider>"

func main() {
	if len(os.Args) != 5 {
		fail(errors.New(usage))
	}
	kubeconfig, namespace := os.Args[1], os.Args[2]
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	fail(err)
	cloud := &cloud{clients: kubernetes.NewForConfigOrDie(config)}
	if os.Args[3] != "none" {
		go func() { fail(runManager(kubeconfig, namespace, portOf(os.Args[3]))) }()
	}
	fail(runProvider(kubeconfig, namespace, portOf(os.Args[4]), cloud))
}

func portOf(text string) int32 {
	port, err := strconv.ParseInt(text, 10, 32)
	fail(err)
	return int32(port)
}

// runManager runs MachineDeployments and MachineSets.
func runManager(kubeconfig, namespace string, port int32) error {
	server := manageroptions.NewMCMServer()
	server.ControlKubeconfig, server.TargetKubeconfig, server.Namespace = kubeconfig, kubeconfig, namespace
	server.Address, server.Port = "127.0.0.1", port
	election := &server.LeaderElection
	election.LeaseDuration, election.RenewDeadline, election.RetryPeriod = seconds(10), seconds(8), seconds(2)
	return manager.Run(server)
}

// runProvider runs Machines and MachineClasses.
func runProvider(kubeconfig, namespace string, port int32, cloud *cloud) error {
	server := provideroptions.NewMCServer()
	server.ControlKubeconfig, server.TargetKubeconfig, server.Namespace = kubeconfig, kubeconfig, namespace
	server.Address, server.Port = "127.0.0.1", port
	election := &server.LeaderElection
	election.LeaseDuration, election.RenewDeadline, election.RetryPeriod = seconds(10), seconds(8), seconds(2)
	return provider.Run(server, cloud)
}

// seconds of leases are few, so that others wait less for those of a process that was killed.
func seconds(count int) metav1.Duration {
	return metav1.Duration{Duration: time.Duration(count) * time.Second}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
