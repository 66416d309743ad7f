{{/* Begins the names of all objects: short enough for what follows it, and without dots, which a Service may not have. */}}
{{- define "drover.fullname" -}}
{{- $given := .Values.fullnameOverride | default .Release.Name | replace "." "-" -}}
{{- if or .Values.fullnameOverride (contains "drover" $given) -}}
{{- $given | trunc 48 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-drover" ($given | trunc 41 | trimSuffix "-") -}}
{{- end -}}
{{- end }}

{{/* Labels by which a program's pods are found; they never change. Takes root and program. */}}
{{- define "drover.selector" -}}
app.kubernetes.io/name: drover
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .program }}
{{- end }}

{{/* Labels of every object of a program. Takes root and program, which may be empty. */}}
{{- define "drover.labels" -}}
app.kubernetes.io/name: drover
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .program }}
app.kubernetes.io/component: {{ . }}
{{- end }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Name, namespace and labels of a program's object. Takes root and program. */}}
{{- define "drover.metadata" -}}
name: {{ include "drover.fullname" .root }}-{{ .program }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "drover.labels" . | nindent 2 }}
{{- end }}

{{/* The ServiceAccount of a program. Takes root and program. */}}
{{- define "drover.account" -}}
{{- (index .root.Values .program).serviceAccount.name | default (printf "%s-%s" (include "drover.fullname" .root) .program) -}}
{{- end }}

{{/* "true" if a program is installed. Takes root and program. */}}
{{- define "drover.runs" -}}
{{- and (index .root.Values .program).enabled (not .root.Values.rbac.targetOnly) -}}
{{- end }}

{{- define "drover.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The Deployment of the controller. */}}
{{- define "drover.controllerDeployment" -}}
{{- .Values.controller.deploymentName | default (printf "%s-controller" (include "drover.fullname" .)) -}}
{{- end }}

{{/* Where the controller's Leases lie. */}}
{{- define "drover.leaseNamespace" -}}
{{- with .Values.controller -}}
{{- .settings.leaderElectNamespace | default .namespace | default $.Release.Namespace -}}
{{- end -}}
{{- end }}
