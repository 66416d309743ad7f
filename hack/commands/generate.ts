import { join } from 'node:path';
import { accessPage } from '../generate/accesspage.ts';
import { chartAccess } from '../generate/chartaccess.ts';
import { chartFile } from '../generate/chartfile.ts';
import { chartReadme } from '../generate/chartreadme.ts';
import { chartValues } from '../generate/chartvalues.ts';
import { controllerReference } from '../generate/controller.ts';
import { crds } from '../generate/crds.ts';
import { differences, type Place, writeFiles } from '../generate/files.ts';
import type { Producer } from '../generate/generated.ts';
import { monitoring } from '../generate/monitoring.ts';
import { policyFiles } from '../generate/policies.ts';
import { providers } from '../generate/providers.ts';
import { rbac } from '../generate/rbac.ts';
import { reference } from '../generate/reference.ts';
import { ruleReference } from '../generate/rules.ts';
import { chartSecurity } from '../generate/security.ts';
import { settings } from '../generate/settings.ts';
import { webhookConfigurations } from '../generate/webhook.ts';

/** `bun run generate` writes every generated file; with `--check` it shows what differs and fails instead. */

/** Who generates what; a new kind of file gets a line here. */
const producers: readonly Producer[] = [
  crds,
  reference,
  rbac,
  chartAccess,
  chartValues,
  chartReadme,
  chartFile,
  chartSecurity,
  accessPage,
  settings,
  providers,
  webhookConfigurations,
  policyFiles,
  ruleReference,
  controllerReference,
  monitoring,
];

/** What no producer makes any more is removed from this folder. */
const place: Place = { root: join(import.meta.dir, '../..'), wholly: 'charts/drover/files' };

/** Writes or compares. */
export const run = (words: readonly string[]): Promise<number> => (words.includes('--check') ? check() : write());

async function write(): Promise<number> {
  const files = producers.flatMap((produce) => produce());
  await writeFiles(place, files);
  console.log(`wrote ${files.length} files`);
  return 0;
}

async function check(): Promise<number> {
  const stale = await differences(
    place,
    producers.flatMap((produce) => produce()),
  );
  if (stale.length === 0) return 0;
  console.error(`${stale.join('\n')}\ngenerated files are out of date: run \`bun run generate\``);
  return 1;
}
