import type { Case } from './case.ts';
import { certificate } from './cases/certificate.ts';
import { deploymentName } from './cases/deploymentname.ts';
import { install } from './cases/install.ts';
import { ipv6 } from './cases/ipv6.ts';
import { leader } from './cases/leader.ts';
import { migration } from './cases/migration.ts';
import { neighbours } from './cases/neighbours.ts';
import { networkPolicy } from './cases/networkpolicy.ts';
import { nodeDrain } from './cases/nodedrain.ts';
import { override } from './cases/override.ts';
import { operations, troubleshooting } from './cases/pages.ts';
import { refusals } from './cases/refusals.ts';
import { restricted } from './cases/restricted.ts';
import { scaling } from './cases/scaling.ts';
import { tlsCertManager, tlsProvided } from './cases/tls.ts';
import { uninstallCase } from './cases/uninstall.ts';
import { upgradeCase } from './cases/upgrade.ts';
import { webhookPods } from './cases/webhookpods.ts';

/** All that is shown on whole clusters. */
export const cases: readonly Case[] = [
  install,
  refusals,
  scaling,
  override,
  restricted,
  webhookPods,
  certificate,
  leader,
  nodeDrain,
  tlsProvided,
  tlsCertManager,
  networkPolicy,
  ipv6,
  deploymentName,
  neighbours,
  troubleshooting,
  operations,
  migration,
  upgradeCase,
  uninstallCase,
];
