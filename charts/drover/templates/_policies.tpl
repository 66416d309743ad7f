{{/* "true" unless the policies are left out; values that are reused from an older chart do not have the key. */}}
{{- define "drover.hasPolicies" -}}
{{- dig "enabled" true (.Values.policies | default dict) -}}
{{- end }}

{{/*
The policies of a folder and their bindings, with the names of the release or of the program's account in the place of those that
are generated. Takes root, folder, and program if they are for its account; those for everybody hold in the only namespace that is
looked after, for Machines elsewhere are a matter of other machine controllers.
*/}}
{{- define "drover.policies" }}
{{- $labels := include "drover.labels" (dict "root" .root "program" .program) | fromYaml }}
{{- $fullname := include "drover.fullname" .root }}
{{- $namespace := ternary "" .root.Values.controller.namespace (hasKey . "program") }}
{{- range $path, $_ := .root.Files.Glob (printf "files/policies/%s/*.yaml" .folder) }}
{{- $text := $.root.Files.Get $path }}
{{- if $.program }}
{{- $account := include "drover.account" $ }}
{{- $generated := printf "drover-%s" $.program }}
{{- $text = $text | replace (printf "%s.drover-system.drover.dev" $generated) (printf "%s.%s.drover.dev" $account $.root.Release.Namespace) }}
{{- $text = $text | replace (printf "drover-system:%s" $generated) (printf "%s:%s" $.root.Release.Namespace $account) }}
{{- else }}
{{- $text = $text | replace "name: drover-" (printf "name: %s-" $fullname) | replace "policyName: drover-" (printf "policyName: %s-" $fullname) }}
{{- end }}
{{- range $document := splitList "\n---\n" $text }}
---
{{- $object := mergeOverwrite ($document | fromYaml) (dict "metadata" (dict "labels" $labels)) }}
{{- if and $namespace (eq $object.kind "ValidatingAdmissionPolicyBinding") }}
{{- $selector := dict "matchLabels" (dict "kubernetes.io/metadata.name" $namespace) }}
{{- $object = mergeOverwrite $object (dict "spec" (dict "matchResources" (dict "namespaceSelector" $selector))) }}
{{- end }}
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end }}
