{{/*
Where a right is given: "*" in the whole cluster, the name of a namespace, or nothing if it is not needed here. Takes root,
program, and row, a row of files/access.yaml.
*/}}
{{- define "drover.place" -}}
{{- if eq (include "drover.isNeeded" .) "true" -}}
{{- if eq .row.in "cluster" -}}*
{{- else if eq .row.in "followed" -}}{{ .root.Values.controller.namespace | default "*" }}
{{- else if eq .row.in "namespace" -}}{{ .row.namespace }}
{{- else if eq .program "controller" -}}{{ include "drover.leaseNamespace" .root }}
{{- else -}}{{ .root.Release.Namespace }}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "drover.isNeeded" -}}
{{- $clusters := include "drover.clusters" .root | fromYaml -}}
{{- $tls := .root.Values.webhook.tls -}}
{{- $publishes := or (ne $tls.mode "provided") $tls.provided.withAuthority -}}
{{- $when := dict "virtual" .root.Values.driver.virtual.enabled "issues" (eq $tls.mode "self") "publishes" $publishes -}}
{{- $wanted := or (not .row.when) (get $when (.row.when | default "")) -}}
{{- if .root.Values.rbac.targetOnly -}}
{{- and $wanted (eq .row.cluster "target") -}}
{{- else if eq .program "webhook" -}}
{{- $wanted -}}
{{- else if and (eq .row.cluster "target") (eq $clusters.target "none") -}}
{{- /* The virtual driver keeps its VMs in the control cluster then. */ -}}
{{- and $wanted .row.when (eq $clusters.control "own") -}}
{{- else -}}
{{- and $wanted (eq (get $clusters .row.cluster) "own") -}}
{{- end -}}
{{- end }}

{{/* The roles of a program and their bindings: one for the whole cluster, and one for each namespace. Takes root and program. */}}
{{- define "drover.roles" -}}
{{- $places := dict -}}
{{- range $row := get (.root.Files.Get "files/access.yaml" | fromYaml) .program -}}
{{- $place := include "drover.place" (merge (dict "row" $row) $) -}}
{{- if $place -}}
{{- $_ := set $places $place (append (get $places $place | default list) $row) -}}
{{- end -}}
{{- end -}}
{{- range $place, $rows := $places }}
{{- $name := printf "%s-%s" (include "drover.fullname" $.root) $.program }}
{{- $kind := ternary "ClusterRole" "Role" (eq $place "*") }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}
metadata:
  {{- include "drover.roleMetadata" (merge (dict "name" $name "place" $place) $) | nindent 2 }}
rules:
  {{- range $rows }}
  # {{ .why }}
  - {{ toYaml .rule | replace "<fullname>" (include "drover.fullname" $.root) | replace "<account>" (include "drover.account" $) | replace "<namespace>" $.root.Release.Namespace | nindent 4 | trim }}
  {{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata:
  {{- include "drover.roleMetadata" (merge (dict "name" $name "place" $place) $) | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ $name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "drover.account" $ }}
    namespace: {{ $.root.Release.Namespace }}
{{- end }}
{{- end }}

{{- define "drover.roleMetadata" -}}
name: {{ .name }}
{{- if ne .place "*" }}
namespace: {{ .place }}
{{- end }}
labels:
  {{- include "drover.labels" . | nindent 2 }}
{{- end }}

{{/* Takes root and program. */}}
{{- define "drover.serviceAccount" -}}
{{- $values := (index .root.Values .program).serviceAccount -}}
{{- if $values.create -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "drover.account" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "drover.labels" . | nindent 4 }}
  {{- with $values.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
# The pods that need its token ask for it.
automountServiceAccountToken: false
{{- end }}
{{- end }}
