{{/* Fails with a sentence for each thing that could not work, all at once. */}}
{{- define "drover.validate" -}}
{{- $findings := list -}}
{{- range list "Program" "Clusters" "Arguments" "Certificate" "Driver" "Apis" -}}
{{- $findings = concat $findings (include (printf "drover.find%s" .) $ | fromYamlArray) -}}
{{- end -}}
{{- if $findings -}}
{{- fail (printf "\n\n- %s\n" (join "\n- " $findings)) -}}
{{- end -}}
{{- end }}

{{- define "drover.findProgram" }}
{{- if not (or .Values.controller.enabled .Values.webhook.enabled .Values.crds.enabled .Values.rbac.targetOnly) }}
- nothing would be installed; enable at least one of controller.enabled, webhook.enabled and crds.enabled
{{- end }}
{{- range $label, $_ := .Values.commonLabels }}
{{- if or (hasPrefix "app.kubernetes.io/" $label) (hasPrefix "helm.sh/" $label) }}
- commonLabels changes {{ $label }}, which the chart sets itself; take another label
{{- end }}
{{- end }}
{{- $imageless := false }}
{{- range $program := list "controller" "webhook" }}
{{- $values := index $.Values $program }}
{{- if not (or $values.serviceAccount.create $values.serviceAccount.name) }}
- {{ $program }}.serviceAccount.name is empty and serviceAccount.create is false; name the account that has the rights, or let the chart make it
{{- end }}
{{- range $place, $labels := dict "podTemplate.metadata.labels" (dig "metadata" "labels" dict $values.podTemplate) "podLabels" $values.podLabels }}
{{- range $label, $_ := $labels }}
{{- if has $label (list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component") }}
- {{ $program }}.{{ $place }} changes {{ $label }}, by which the Deployment finds its pods; take another label
{{- end }}
{{- end }}
{{- end }}
{{- if and (eq (include "drover.runs" (dict "root" $ "program" $program)) "true") (not $.Values.image.repository) }}
{{- $imageless = true }}
{{- end }}
{{- end }}
{{- if $imageless }}
- image.repository is empty, and no registry has an image of Drover; make one with ./hack/image, push it to a registry of yours, and name it, such as image.repository=registry.example.com/drover
{{- end }}
{{- if eq .Values.controller.deploymentName (printf "%s-webhook" (include "drover.fullname" .)) }}
- controller.deploymentName is the name of the webhook's Deployment; take another name
{{- end }}
{{- end }}

{{- define "drover.findClusters" }}
{{- $kubeconfig := .Values.controller.kubeconfig }}
{{- $clusters := include "drover.clusters" . | fromYaml }}
{{- if eq $kubeconfig.control "none" }}
- controller.kubeconfig.control is none, but the Machines must be somewhere; leave it empty for this cluster, or name a Secret
{{- end }}
{{- if and .Values.webhook.enabled (eq $clusters.control "other") (not .Values.rbac.targetOnly) }}
- controller.kubeconfig.control leads to another cluster, and the webhook would guard this one, where no Machines are; set webhook.enabled=false and crds.enabled=false here, and install them there with controller.enabled=false
{{- end }}
{{- range $which := list "control" "target" }}
{{- if and (hasPrefix "/" (index $kubeconfig $which)) (not $.Values.controller.volumeMounts) }}
- controller.kubeconfig.{{ $which }} is a path, but nothing is mounted there; bring the file by controller.volumes and controller.volumeMounts, or give the name of a Secret
{{- end }}
{{- end }}
{{- end }}

{{/* Flags of the webhook that the chart gives, and the values that they follow from. */}}
{{- define "drover.webhookOwnFlags" -}}
drivers: driver.names and driver.virtual.enabled
port: webhook.port
namespace: the namespace of the release
service: fullnameOverride
webhook-configuration: fullnameOverride
tls-mode: webhook.tls.mode
tls-secret: fullnameOverride
tls-folder: webhook.tls.provided.secretName
tls-cert-file: webhook.tls.provided.secretName
tls-key-file: webhook.tls.provided.secretName
client-ca-file: webhook.tls.clientAuthority.configMap
kubeconfig: no value at all, since it is that of its account
{{- end }}

{{- define "drover.findArguments" }}
{{- $values := dict
  "control-kubeconfig" "controller.kubeconfig.control"
  "target-kubeconfig" "controller.kubeconfig.target"
  "namespace" "controller.namespace"
  "leader-elect-namespace" "controller.settings.leaderElectNamespace"
  "drivers" "driver.names and driver.virtual.enabled"
  "port" "no value at all, since it is 10258" }}
{{- range .Values.webhook.extraArgs }}
{{- $flag := regexReplaceAll "^--?([^=]*).*$" . "${1}" | replace "_" "-" }}
{{- with get (include "drover.webhookOwnFlags" $ | fromYaml) $flag }}
- {{ printf "webhook.extraArgs has --%s, on which rights, mounts and the registration depend; use %s" $flag . | quote }}
{{- end }}
{{- end }}
{{- $election := toString .Values.controller.settings.leaderElect }}
{{- range .Values.controller.extraArgs }}
{{- $flag := regexReplaceAll "^--?([^=]*).*$" . "${1}" | replace "_" "-" }}
{{- with get $values $flag }}
- {{ printf "controller.extraArgs has --%s, on which rights and mounts depend; use %s" $flag . | quote }}
{{- end }}
{{- if eq $flag "leader-elect" }}
{{- $election = regexReplaceAll "^[^=]*=?" . "" | default "true" }}
{{- end }}
{{- end }}
{{- if and (has (lower $election) (list "false" "f" "0")) (gt (int .Values.controller.replicas) 1) }}
- controller.replicas is {{ .Values.controller.replicas }} without leader election, so that all of them would make machines; set controller.replicas=1, or leave leaderElect true
{{- end }}
{{- end }}

{{- define "drover.findCertificate" }}
{{- with .Values.webhook.tls }}
{{- if and (eq .mode "provided") (not .provided.secretName) }}
- webhook.tls.mode is provided, but webhook.tls.provided.secretName is empty; name a Secret with tls.crt and tls.key
{{- end }}
{{- if and (ne .mode "provided") .provided.secretName }}
- webhook.tls.provided.secretName is set, but webhook.tls.mode is {{ .mode }}, which does not use it; set webhook.tls.mode=provided, or leave the name empty
{{- end }}
{{- if and (ne .mode "certManager") .certManager.issuerRef }}
- webhook.tls.certManager.issuerRef is set, but webhook.tls.mode is {{ .mode }}, which does not use it; set webhook.tls.mode=certManager, or leave the issuer empty
{{- end }}
{{- end }}
{{- end }}

{{- define "drover.findDriver" }}
{{- if and (has "virtual" (.Values.driver.names | default list)) (not .Values.driver.virtual.enabled) }}
- driver.names has virtual, which has no rights here; set driver.virtual.enabled=true, or leave it out
{{- end }}
{{- range $index, $sidecar := .Values.driver.sidecars }}
{{- if not (and $sidecar.name $sidecar.image) }}
- driver.sidecars[{{ $index }}] is no container; give it a name and an image
{{- else if eq $sidecar.name "controller" }}
- driver.sidecars[{{ $index }}].name is that of the controller's own container; take another name
{{- end }}
{{- end }}
{{- end }}

{{/* Only a cluster that can be asked says which kinds it has: helm template and helm lint know none of them. */}}
{{- define "drover.findApis" }}
{{- if and (lookup "v1" "Namespace" "" "kube-system") (not .Values.rbac.targetOnly) }}
{{- $tls := and .Values.webhook.enabled (eq .Values.webhook.tls.mode "certManager") }}
{{- if and $tls (not (.Capabilities.APIVersions.Has "cert-manager.io/v1")) }}
- webhook.tls.mode is certManager, but this cluster has no cert-manager; install it first, or set webhook.tls.mode=self
{{- end }}
{{- $prometheus := and .Values.monitoring.enabled (or .Values.monitoring.serviceMonitor.enabled .Values.monitoring.prometheusRule.enabled) }}
{{- if and $prometheus (not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) }}
- monitoring.enabled is set, but this cluster has no Prometheus operator; install it first, or set monitoring.serviceMonitor.enabled=false and monitoring.prometheusRule.enabled=false
{{- end }}
{{- end }}
{{- end }}
