package main

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	namespace = "drover-virtual-cloud"
	label     = "drover.dev/virtual-vm"
	prefix    = "virtual:///"
)

// cloud has VMs where the virtual driver of Drover has them: as ConfigMaps, by the UID of their machine.
type cloud struct {
	clients kubernetes.Interface
}

var _ driver.Driver = &cloud{}

func idOf(machine *v1alpha1.Machine) string {
	if machine.Spec.ProviderID != "" {
		return machine.Spec.ProviderID
	}
	return prefix + string(machine.UID)
}

func uidOf(machine *v1alpha1.Machine) string { return strings.TrimPrefix(idOf(machine), prefix) }

func coded(err error) error {
	if errors.IsNotFound(err) {
		return status.Error(codes.NotFound, err.Error())
	}
	return status.Error(codes.Internal, err.Error())
}

// CreateMachine makes the ConfigMap, and the Node that its VM would register.
func (c *cloud) CreateMachine(ctx context.Context, request *driver.CreateMachineRequest) (*driver.CreateMachineResponse, error) {
	machine, class := request.Machine, request.MachineClass
	vm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: uidOf(machine), Namespace: namespace, Labels: map[string]string{label: "true"}},
		Data: map[string]string{
			"providerID": idOf(machine),
			"machine":    machine.Namespace + "/" + machine.Name,
			"nodeName":   machine.Name,
			"class":      class.Namespace + "/" + class.Name,
			"created":    time.Now().UTC().Format(time.RFC3339Nano),
			"spec":       string(class.ProviderSpec.Raw),
			"state":      "Running",
		},
	}
	if _, err := c.clients.CoreV1().ConfigMaps(namespace).Create(ctx, vm, metav1.CreateOptions{}); err != nil {
		return nil, coded(err)
	}
	if err := c.register(ctx, machine, taintsOf(class)); err != nil {
		return nil, coded(err)
	}
	return &driver.CreateMachineResponse{ProviderID: idOf(machine), NodeName: machine.Name}, nil
}

// register makes a Node that is ready.
func (c *cloud) register(ctx context.Context, machine *v1alpha1.Machine, taints []corev1.Taint) error {
	now := metav1.Now()
	room := corev1.ResourceList{"cpu": resource.MustParse("4"), "memory": resource.MustParse("16Gi"), "pods": resource.MustParse("110")}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: machine.Name, Labels: map[string]string{"kubernetes.io/hostname": machine.Name}},
		Spec:       corev1.NodeSpec{ProviderID: idOf(machine), Taints: taints},
		Status: corev1.NodeStatus{
			Capacity:    room,
			Allocatable: room,
			Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
				LastHeartbeatTime: now, LastTransitionTime: now,
			}},
		},
	}
	_, err := c.clients.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	return err
}

// taintsOf are those that the class gives to its Nodes.
func taintsOf(class *v1alpha1.MachineClass) []corev1.Taint {
	var spec struct {
		Node struct{ Taints []corev1.Taint }
	}
	if json.Unmarshal(class.ProviderSpec.Raw, &spec) != nil {
		return nil
	}
	return spec.Node.Taints
}

// InitializeMachine has nothing to do.
func (c *cloud) InitializeMachine(context.Context, *driver.InitializeMachineRequest) (*driver.InitializeMachineResponse, error) {
	return nil, status.Error(codes.Unimplemented, "VMs of the virtual cloud need no initialization here")
}

// DeleteMachine takes the ConfigMap away.
func (c *cloud) DeleteMachine(ctx context.Context, request *driver.DeleteMachineRequest) (*driver.DeleteMachineResponse, error) {
	err := c.clients.CoreV1().ConfigMaps(namespace).Delete(ctx, uidOf(request.Machine), metav1.DeleteOptions{})
	if err != nil && !errors.IsNotFound(err) {
		return nil, coded(err)
	}
	return &driver.DeleteMachineResponse{}, nil
}

// GetMachineStatus tells whether the ConfigMap is there.
func (c *cloud) GetMachineStatus(ctx context.Context, request *driver.GetMachineStatusRequest) (*driver.GetMachineStatusResponse, error) {
	vm, err := c.clients.CoreV1().ConfigMaps(namespace).Get(ctx, uidOf(request.Machine), metav1.GetOptions{})
	if err != nil {
		return nil, coded(err)
	}
	return &driver.GetMachineStatusResponse{ProviderID: vm.Data["providerID"], NodeName: vm.Data["nodeName"]}, nil
}

// ListMachines tells the VMs of a class.
func (c *cloud) ListMachines(ctx context.Context, request *driver.ListMachinesRequest) (*driver.ListMachinesResponse, error) {
	vms, err := c.clients.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{LabelSelector: label + "=true"})
	if err != nil {
		return nil, coded(err)
	}
	machines := map[string]string{}
	for _, vm := range vms.Items {
		if vm.Data["class"] == request.MachineClass.Namespace+"/"+request.MachineClass.Name {
			machines[vm.Data["providerID"]] = strings.TrimPrefix(vm.Data["machine"], request.MachineClass.Namespace+"/")
		}
	}
	return &driver.ListMachinesResponse{MachineList: machines}, nil
}

// GetVolumeIDs knows no volumes.
func (c *cloud) GetVolumeIDs(context.Context, *driver.GetVolumeIDsRequest) (*driver.GetVolumeIDsResponse, error) {
	return &driver.GetVolumeIDsResponse{}, nil
}
