import type { MachineClass } from '../../schemas/machineclass.ts';
import type { Secret } from '../runtime/k8s/core.ts';
import { secretKeysOf } from './class.ts';

/** The data of the Secrets that a class names, decoded; of two values under one key the later Secret's counts (MCM 1.1). */
export function secretDataOf(
  found: MachineClass,
  secrets: { get(key: string): Secret | undefined },
): Record<string, string> {
  const data = secretKeysOf(found).map((key) => secrets.get(key)?.data ?? {});
  return Object.fromEntries(data.flatMap(Object.entries).map(([key, value]) => [key, decode(value)]));
}

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
