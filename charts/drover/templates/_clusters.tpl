{{/* Which clusters the controller works with, seen from this one: control is own or other, target is own, other or none. */}}
{{- define "drover.clusters" -}}
{{- $control := .Values.controller.kubeconfig.control -}}
{{- $target := .Values.controller.kubeconfig.target -}}
{{- $own := list "" "inClusterConfig" -}}
{{- $controlIs := ternary "own" "other" (has $control $own) -}}
control: {{ $controlIs }}
{{- if eq $target "" }}
target: {{ $controlIs }}
{{- else if eq $target "inClusterConfig" }}
target: own
{{- else if eq $target "none" }}
target: none
{{- else }}
target: other
{{- end }}
{{- end }}

{{/* "true" if a kubeconfig is the name of a Secret. */}}
{{- define "drover.isSecret" -}}
{{- not (or (has . (list "" "inClusterConfig" "none")) (hasPrefix "/" .)) -}}
{{- end }}

{{/* A kubeconfig as a flag's value. Takes root and which. */}}
{{- define "drover.kubeconfigFlag" -}}
{{- $given := index .root.Values.controller.kubeconfig .which -}}
{{- if eq (include "drover.isSecret" $given) "true" -}}
/etc/drover/{{ .which }}/{{ .root.Values.controller.kubeconfig.key }}
{{- else -}}
{{- $given -}}
{{- end -}}
{{- end }}
