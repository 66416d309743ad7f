import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from '../../controller/runtime/api.ts';
import { until } from '../until.ts';
import { apply, call } from './call.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Crd {
  metadata: { name: string };
  status?: { conditions?: Array<{ type: string; status: string }> };
}

/** Applies every CRD file (*.yaml) of a folder, and waits until the API server serves each of them. */
export async function installCrds(admin: Connection, folder: string): Promise<void> {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.yaml')) : [];
  await Promise.all(files.map((name) => installCrd(admin, join(folder, name))));
}

async function installCrd(admin: Connection, file: string): Promise<void> {
  const crd = Bun.YAML.parse(await Bun.file(file).text()) as Crd;
  const path = `${PATH}/${crd.metadata.name}`;
  await apply(admin, path, crd);
  const established = async () => isEstablished((await call(admin, { path })) as Crd);
  await until(`${crd.metadata.name} to be established`, established, { timeoutMs: 15_000 });
}

const isEstablished = ({ status }: Crd): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
