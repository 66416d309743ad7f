// Webhook-go answers reviews of Machines and MachineDeployments as a webhook in Go usually does: controller-runtime
// decodes them into MCM's types, some thirty rules judge them, and a patch is the difference of two JSON documents.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func main() {
	port := flag.Int("port", 9443, "where to listen on this machine")
	certificates := flag.String("cert-dir", ".", "folder with tls.crt and tls.key")
	flag.Parse()
	log.SetLogger(logr.Discard())
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: *port, CertDir: *certificates})
	register(server)
	if err := server.Start(signals.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// register serves each kind at paths of its own, as controller-runtime has it.
func register(server webhook.Server) {
	scheme := runtime.NewScheme()
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	machine, deployment := &v1alpha1.Machine{}, &v1alpha1.MachineDeployment{}
	server.Register("/validate/Machine", admission.WithCustomValidator(scheme, machine, machineRules{}))
	server.Register("/mutate/Machine", admission.WithCustomDefaulter(scheme, machine, machineDefaults{}))
	server.Register("/validate/MachineDeployment", admission.WithCustomValidator(scheme, deployment, deploymentRules{}))
	server.Register("/mutate/MachineDeployment", admission.WithCustomDefaulter(scheme, deployment, deploymentDefaults{}))
	server.WebhookMux().HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
}
