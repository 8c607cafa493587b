{{- define "berth.labels" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "berth.selector" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: berth
{{- end }}

{{- define "berth.postgresSelector" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: postgres
{{- end }}

{{- define "berth.secret" -}}
{{ .Values.existingSecret | default (printf "%s-berth" .Release.Name) }}
{{- end }}

{{- define "berth.deployedSelector" -}}
app.kubernetes.io/managed-by: berth
{{- end }}

{{- /* Changes with the Secret, so that pods restart: they read it when they start. "helm template" cannot look up one of yours. */}}
{{- define "berth.secretChecksum" -}}
{{- if .Values.existingSecret -}}
{{- $found := lookup "v1" "Secret" .Release.Namespace .Values.existingSecret | default dict -}}
{{- get $found "data" | default dict | toJson | sha256sum -}}
{{- else -}}
{{- include (print .Template.BasePath "/secret.yaml") . | sha256sum -}}
{{- end -}}
{{- end }}
