{{/* Takes root and program. */}}
{{- define "drover.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "drover.metadata" . | nindent 2 }}
spec:
  maxUnavailable: {{ (index .root.Values .program).maxUnavailable }}
  # A pod that is ill must not keep its Node from being drained.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "drover.selector" . | nindent 6 }}
{{- end }}
