#!/bin/bash
# Runs inside the root of a node image that is being made, and does what is left to do there: the steps of the Dockerfile of
# kind's base image that are more than a file.
set -euo pipefail

# Services that mean a machine of its own; the node is a container.
rm -f /etc/systemd/system/*.wants/* /lib/systemd/system/{multi-user,local-fs,basic}.target.wants/*
rm -f /lib/systemd/system/sockets.target.wants/*{udev,initctl}* /lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service
echo ReadKMsg=no >>/etc/systemd/journald.conf
systemctl --quiet enable kubelet.service containerd.service undo-mount-hacks.service
systemctl --quiet mask systemd-binfmt.service
# A machine of its own has an identity; each node writes one when it starts.
rm -f /etc/machine-id /etc/hostname

# Where kind and its services look for what Debian keeps elsewhere.
for program in containerd ctr containerd-shim-runc-v2; do ln -sf "/usr/bin/$program" "/usr/local/bin/$program"; done
mkdir -p /etc/kubernetes/manifests /etc/cni/net.d /opt/cni/bin
cp /usr/lib/cni/{ptp,host-local,portmap,loopback} /opt/cni/bin/

# Pods do not see the identity of the machine but that of their node.
hook='.hooks.createContainer += [{path: "/kind/bin/mount-product-files.sh"}] | del(.process.rlimits)'
ctr oci spec | jq "$hook" >/etc/containerd/cri-base.json
