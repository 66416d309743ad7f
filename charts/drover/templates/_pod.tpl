{{/* What the restricted profile of pod security asks of each container, and a read-only root. */}}
{{- define "drover.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* The same of each pod. */}}
{{- define "drover.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "drover.pullSecrets" -}}
{{- with .Values.imagePullSecrets -}}
imagePullSecrets:
  {{- range . }}
  - name: {{ kindIs "string" . | ternary . (get (kindIs "map" . | ternary . dict) "name") }}
  {{- end }}
{{- end -}}
{{- end }}

{{/*
The Deployment of a program. Takes root, program, name, port and scheme of the probes, the container's own part (args, env, ports, …), volumes, sidecars,
and token, whether the program speaks to this cluster by the token of its account;
the user's part of the pod is merged over it last.
*/}}
{{- define "drover.deployment" -}}
{{- $values := index .root.Values .program -}}
{{- $template := include "drover.podTemplate" . | fromYaml -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "drover.labels" . | nindent 4 }}
spec:
  replicas: {{ $values.replicas }}
  revisionHistoryLimit: 3
  {{- with .minReadySeconds }}
  minReadySeconds: {{ . }}
  {{- end }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  selector:
    matchLabels:
      {{- include "drover.selector" . | nindent 6 }}
  template:
    {{- mergeOverwrite $template (deepCopy $values.podTemplate) | toYaml | nindent 4 }}
{{- end }}

{{- define "drover.podTemplate" -}}
{{- $values := index .root.Values .program -}}
metadata:
  labels:
    {{- include "drover.selector" . | nindent 4 }}
    {{- with .root.Values.commonLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "drover.account" . }}
  automountServiceAccountToken: {{ .token }}
  enableServiceLinks: false
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- include "drover.pullSecrets" .root | nindent 2 }}
  terminationGracePeriodSeconds: 30
  {{- include "drover.podSecurity" . | nindent 2 }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- if $values.topologySpreadConstraints }}
    {{- toYaml $values.topologySpreadConstraints | nindent 4 }}
    {{- else }}
    - topologyKey: kubernetes.io/hostname
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "drover.selector" . | nindent 10 }}
      matchLabelKeys: [pod-template-hash]
    {{- end }}
  {{- /* No second constraint: a Node without one of the labels counts for none of them, and not every cluster has zones. */}}
  affinity:
    {{- if $values.affinity }}
    {{- toYaml $values.affinity | nindent 4 }}
    {{- else }}
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            topologyKey: topology.kubernetes.io/zone
            labelSelector:
              matchLabels:
                {{- include "drover.selector" . | nindent 16 }}
    {{- end }}
  containers:
    - name: {{ .program }}
      image: {{ include "drover.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      securityContext:
        {{- include "drover.containerSecurity" . | nindent 8 }}
      {{- include "drover.probes" . | nindent 6 }}
      {{- with $values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- .container | nindent 6 }}
    {{- range .sidecars }}
    - {{ toYaml . | nindent 6 | trim }}
    {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- .volumes | nindent 4 }}
    {{- with $values.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}

{{/* Takes port, by name, and scheme. */}}
{{- define "drover.probes" -}}
{{- $get := dict "port" .port "scheme" .scheme -}}
livenessProbe:
  httpGet: {{ set (deepCopy $get) "path" "/healthz" | toJson }}
  periodSeconds: 10
  failureThreshold: 3
  timeoutSeconds: 5
readinessProbe:
  httpGet: {{ set (deepCopy $get) "path" "/readyz" | toJson }}
  periodSeconds: 5
  failureThreshold: 2
  timeoutSeconds: 5
startupProbe:
  httpGet: {{ set (deepCopy $get) "path" "/healthz" | toJson }}
  periodSeconds: 1
  failureThreshold: 60
  timeoutSeconds: 5
{{- end }}

{{/* Garbage is collected in time for the limit of the container, not for the memory of the host. Takes root and program. */}}
{{- define "drover.memory" -}}
{{- if dig "limits" "memory" "" (index .root.Values .program).resources -}}
- name: BUN_JSC_forceRAMSize
  valueFrom:
    resourceFieldRef:
      containerName: {{ .program }}
      resource: limits.memory
{{- end }}
{{- end }}

{{/* Where everything may be written that must be written somewhere. */}}
{{- define "drover.mounts" -}}
- name: tmp
  mountPath: /tmp
{{- end }}
