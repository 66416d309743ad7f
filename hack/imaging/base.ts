import { rootCertificates } from 'node:tls';
import { USER } from './facts.ts';
import type { Entry } from './tar.ts';

/** What a program expects of a system besides its libraries. There is no shell, and nothing to install with. */
export const base: readonly Entry[] = [
  { path: 'tmp', mode: 0o1777 },
  { path: 'etc/passwd', content: `root:x:0:0:root:/:/sbin/nologin\ndrover:x:${USER}:${USER}:drover:/:/sbin/nologin\n` },
  { path: 'etc/group', content: `root:x:0:\ndrover:x:${USER}:\n` },
  // Without it glibc asks the name servers before it reads /etc/hosts.
  { path: 'etc/nsswitch.conf', content: 'hosts: files dns\n' },
  // The authorities that Bun trusts; for a driver that looks for them in the usual place.
  { path: 'etc/ssl/certs/ca-certificates.crt', content: `${rootCertificates.join('\n')}\n` },
];
