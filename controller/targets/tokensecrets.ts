import {
  ANNOTATION_MACHINE,
  LABEL_INCARNATION,
  LABEL_MACHINE_NAMESPACE,
  LABEL_MACHINE_UID,
} from '../../schemas/keys.ts';
import type { Secret } from '../runtime/k8s/core.ts';

/** Where an API server looks for bootstrap tokens. */
export const TOKEN_NAMESPACE = 'kube-system';

/** Tokens by the UID of their Machine. */
export const byMachine = (token: Secret): string[] => [machineOf(token).uid];

/** The Machine that a token is for: its key among the Machines, and its UID. */
export const machineOf = ({ metadata }: Secret): { key: string; uid: string } => ({
  key: metadata.annotations?.[ANNOTATION_MACHINE] ?? '',
  uid: metadata.labels?.[LABEL_MACHINE_UID] ?? '',
});

/** Which Secrets are tokens of this installation, for Machines of a namespace or, if it is empty, of all. */
export const tokenSelector = (incarnation: string, namespace: string): string =>
  [`${LABEL_INCARNATION}=${incarnation}`, namespace && `${LABEL_MACHINE_NAMESPACE}=${namespace}`]
    .filter(Boolean)
    .join(',');
