#!/bin/busybox sh
# The network of pods where kind's own image for it cannot be had: tells the container runtime which addresses the pods of
# this node get, keeps routes to the pods of the other nodes, and lets pods speak to the outside by their node's address.
# Reads NODE_NAME, POD_SUBNET (one for each IP family, with commas between) and, from kind, CONTROL_PLANE_ENDPOINT.
set -eu

credentials=/var/run/secrets/kubernetes.io/serviceaccount
config=/etc/cni/net.d/10-pod-network.conflist
nodes='{.metadata.name}{" "}{.spec.podCIDRs[*]}{" via"}{" "}{.status.addresses[?(@.type=="InternalIP")].address}{"\n"}'

watch_nodes() {
  /host/kubectl get nodes --watch --output "jsonpath=$nodes" --server "https://$CONTROL_PLANE_ENDPOINT" \
    --certificate-authority "$credentials/ca.crt" --token "$(cat "$credentials/token")"
}

family() { case $1 in *:*) echo 6 ;; *) echo 4 ;; esac; }

# Written aside first: the runtime reads the folder whenever it changes.
write_config() {
  ranges='' routes=''
  for subnet in "$@"; do
    ranges="$ranges${ranges:+,}[{\"subnet\":\"$subnet\"}]"
    case $(family "$subnet") in 6) all=::/0 ;; *) all=0.0.0.0/0 ;; esac
    routes="$routes${routes:+,}{\"dst\":\"$all\"}"
  done
  cat >"$config.part" <<END
{"cniVersion": "0.4.0", "name": "pod-network", "plugins": [
  {"type": "ptp", "ipMasq": false, "mtu": 1500, "ipam":
    {"type": "host-local", "dataDir": "/run/cni-ipam-state", "ranges": [$ranges], "routes": [$routes]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}
]}
END
  mv "$config.part" "$config"
}

# One address of each family leads to the subnet of that family.
route() {
  for subnet in $1; do
    for address in $2; do
      [ "$(family "$subnet")" != "$(family "$address")" ] || ip "-$(family "$subnet")" route replace "$subnet" via "$address"
    done
  done
}

masquerade() {
  rules=''
  for subnet in $(echo "$POD_SUBNET" | tr , ' '); do
    case $(family "$subnet") in 6) name=ip6 ;; *) name=ip ;; esac
    rules="$rules
      $name saddr $subnet $name daddr != $subnet fib daddr type != local masquerade"
  done
  nft -f - <<END
table inet pod-network
delete table inet pod-network
table inet pod-network {
  chain postrouting {
    type nat hook postrouting priority srcnat;$rules
  }
}
END
}

masquerade
while :; do
  watch_nodes | while read -r line; do
    name=${line%% *} addresses=${line##* via} subnets=${line#* }
    subnets=${subnets% via*}
    [ -n "${subnets# }" ] || continue
    # shellcheck disable=SC2086 # a list of subnets
    if [ "$name" = "$NODE_NAME" ]; then write_config $subnets; else route "$subnets" "$addresses"; fi
  done || true
  sleep 1
done
