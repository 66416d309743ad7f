{{/* Settings by name as a list of flags. */}}
{{- define "drover.flags" -}}
{{- range $name, $value := . }}
{{- if not (kindIs "invalid" $value) }}
- {{ printf "--%s=%s" (kebabcase $name) (include "drover.flagValue" $value) | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* Large numbers would come out as 1e+06 without JSON. */}}
{{- define "drover.flagValue" -}}
{{- if kindIs "string" . -}}
{{- . -}}
{{- else if kindIs "slice" . -}}
{{- join "," . -}}
{{- else -}}
{{- toJson . -}}
{{- end -}}
{{- end }}

{{/* Drivers that are named, or all that the image has; that of simulated machines only where it is wanted, for it has no rights elsewhere. */}}
{{- define "drover.driversFlag" -}}
{{- $virtual := .Values.driver.virtual.enabled -}}
{{- with .Values.driver.names -}}
--drivers={{ $virtual | ternary (append . "virtual") . | uniq | join "," }}
{{- else -}}
--drivers=*{{ if not $virtual }},-virtual{{ end }}
{{- end -}}
{{- end }}

{{/* Where the pods of the webhook listen; values that are reused from an older chart do not have the key. */}}
{{- define "drover.webhookPort" -}}
{{- .Values.webhook.port | default 9443 -}}
{{- end }}

{{- define "drover.controllerArgs" -}}
- controller
{{- with .Values.controller }}
{{- $control := include "drover.kubeconfigFlag" (dict "root" $ "which" "control") }}
{{- $target := include "drover.kubeconfigFlag" (dict "root" $ "which" "target") }}
- {{ printf "--control-kubeconfig=%s" ($control | default "inClusterConfig") | quote }}
{{- with $target }}
- {{ printf "--target-kubeconfig=%s" . | quote }}
{{- end }}
{{- with .namespace }}
- --namespace={{ . }}
{{- end }}
- --leader-elect-namespace={{ include "drover.leaseNamespace" $ }}
- --port=10258
- {{ include "drover.driversFlag" $ | quote }}
{{- include "drover.flags" (omit .settings "leaderElectNamespace") }}
{{- range .extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "drover.webhookArgs" -}}
{{- $fullname := include "drover.fullname" . }}
- webhook
- --namespace={{ .Release.Namespace }}
- --service={{ $fullname }}-webhook
- --port={{ include "drover.webhookPort" . }}
- {{ include "drover.driversFlag" . | quote }}
- --webhook-configuration={{ $fullname }}
{{- with .Values.webhook }}
{{- if eq .tls.mode "self" }}
- --tls-mode=self
- --tls-secret={{ $fullname }}-webhook-tls
{{- else if or (eq .tls.mode "certManager") .tls.provided.withAuthority }}
- --tls-mode=certManager
- --tls-folder=/etc/drover/tls
{{- else }}
- --tls-mode=provided
- --tls-cert-file=/etc/drover/tls/tls.crt
- --tls-key-file=/etc/drover/tls/tls.key
{{- end }}
{{- if dig "clientAuthority" "configMap" "" .tls }}
- --client-ca-file=/etc/drover/client-ca/{{ dig "clientAuthority" "key" "ca.crt" .tls }}
{{- end }}
{{- include "drover.flags" .settings }}
{{- range .extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
