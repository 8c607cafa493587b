#!/usr/bin/env bash
# deploy.sh [NAME]: deploys the project in this folder, with curl and tar alone.
# SERVICE_ENDPOINT says where Berth is, SERVICE_API_KEY is a key for it, TIMEOUT how many seconds to wait (900).
# Exit codes: 0 deployed, 1 failed or no answer, 2 used wrongly, 3 not at its end in time, 4 skipped or interrupted.
set -euo pipefail

base=${SERVICE_ENDPOINT:-http://127.0.0.1:8123}
base=${base%"${base##*[!/]}"}
# As `berth deploy` writes names: `My Agent` is `my-agent`.
name=$(LC_ALL=C tr '[:upper:]' '[:lower:]' <<<"${1:-${PWD##*/}}" | LC_ALL=C sed -E 's/[^a-z0-9-]+/-/g; s/^-+|-+$//g')
name=${name:-app}

end() {
  echo "$2" >&2
  exit "$1"
}
[ -n "${SERVICE_API_KEY:-}" ] || end 2 "SERVICE_API_KEY is not set: it is the key for Berth"
[ -f graph.json ] || end 2 "there is no graph.json in $PWD"
[[ ${TIMEOUT:=900} =~ ^[1-9][0-9]*$ ]] || end 2 "TIMEOUT must be a number of seconds, not '$TIMEOUT'"
deadline=$((SECONDS + TIMEOUT))
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# In a file of its own: arguments can be read by everybody on the machine.
echo "X-Api-Key: $SERVICE_API_KEY" >"$folder/key"

# The first text of that name in the JSON on stdin, whatever is in it.
field() {
  local text
  text=$(grep -oE "\"$1\": ?\"(\\\\.|[^\"\\\\])*\"" | head -n 1) || return 0
  text=${text#*:}
  text=${text# }
  text=${text:1:-1}
  text=${text//\\\"/\"}
  printf '%b\n' "$text"
}
# Asks Berth; what it answers is in $answer. Ends with its reason when it refuses, or does not answer.
ask() {
  local what=$1 status left=$((deadline - SECONDS))
  shift
  [ "$left" -gt 0 ] || end 3 "it has not ended after $TIMEOUT seconds, and goes on"
  status=$(curl --silent --show-error --output "$folder/answer" --write-out '%{http_code}' \
    --max-time "$((left < 60 ? left : 60))" "$@" 2>"$folder/error") ||
    end "$((SECONDS < deadline ? 1 : 3))" "$what: no answer from $base ($(cat "$folder/error"))"
  answer=$(cat "$folder/answer")
  [[ $status == 2* ]] && return
  local reason
  reason=$(field detail <<<"$answer")
  end 1 "$what failed with status $status: ${reason:-$answer}"
}
api() {
  ask "$1" --header "@$folder/key" --header "Content-Type: application/json" "${@:2}"
}

api "looking up '$name'" "$base/v2/deployments?name=$name"
id=$(field id <<<"$answer")
if [ -z "$id" ]; then
  api "creating '$name'" "$base/v2/deployments" --data "{
    \"name\": \"$name\", \"source\": \"internal_source\", \"secrets\": [],
    \"source_config\": {\"deployment_type\": \"dev\"},
    \"source_revision_config\": {\"langgraph_config_path\": \"graph.json\"}
  }"
  id=$(field id <<<"$answer")
  echo "created deployment $id"
fi

tar --create --gzip --file "$folder/source.tar.gz" \
  --exclude ./node_modules --exclude ./.git --exclude './.env*' .
api "asking where to upload" --request POST "$base/v2/deployments/$id/upload-url"
object=$(field object_path <<<"$answer")
ask "uploading" --header "Content-Type: application/gzip" \
  --upload-file "$folder/source.tar.gz" "$(field upload_url <<<"$answer")"

# Without "secrets" the deployment keeps those that it has.
api "updating '$name'" --request PATCH "$base/v2/deployments/$id" --data "{
  \"revision_source\": \"internal_source\",
  \"source_revision_config\": {
    \"source_tarball_path\": \"$object\",
    \"langgraph_config_path\": \"graph.json\"
  }
}"
revision=$(field latest_revision_id <<<"$answer")

status=
while [ "$SECONDS" -lt "$deadline" ]; do
  api "looking at revision $revision" "$base/v2/deployments/$id/revisions/$revision"
  now=$(field status <<<"$answer")
  if [ "$now" != "$status" ]; then echo "$now"; fi
  status=$now
  case $status in
    DEPLOYED)
      api "looking at '$name'" "$base/v2/deployments/$id"
      field custom_url <<<"$answer"
      exit 0
      ;;
    *_FAILED) end 1 "$status: $(field status_message <<<"$answer")" ;;
    SKIPPED | INTERRUPTED) end 4 "$status: $(field status_message <<<"$answer")" ;;
  esac
  sleep 1
done
end 3 "still $status after $TIMEOUT seconds, and goes on"
