{{/* Takes root and program. */}}
{{- define "drover.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "drover.metadata" . | nindent 2 }}
spec:
  {{- with (index .root.Values .program).podDisruptionBudget | default dict }}
  {{- if ne (toString (.minAvailable | default "")) "" }}
  minAvailable: {{ .minAvailable }}
  {{- else }}
  maxUnavailable: {{ dig "maxUnavailable" 1 . }}
  {{- end }}
  {{- else }}
  maxUnavailable: 1
  {{- end }}
  # A pod that is ill must not keep its Node from being drained.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "drover.selector" . | nindent 6 }}
{{- end }}
