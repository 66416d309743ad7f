import type { ControllerSettings } from '../../../schemas/config/controller.ts';
import { parseDuration } from '../../../schemas/duration.ts';
import { ANNOTATION_CREATION_TIMEOUT } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { Taint } from '../../runtime/k8s/core.ts';
import type { MachineView } from './view.ts';

/** The settings that a Machine may override. */
export const machineLimits = (settings: ControllerSettings): MachineLimits => ({
  creationTimeoutMs: settings.machineCreationTimeout,
  healthTimeoutMs: settings.machineHealthTimeout,
  inPlaceTimeoutMs: settings.machineInplaceUpdateTimeout,
  preserveTimeoutMs: settings.machinePreserveTimeout,
  vmYouthMs: settings.orphanGracePeriod,
  nodeConditions: settings.nodeConditions,
  drain: {
    timeoutMs: settings.machineDrainTimeout,
    detachMs: settings.machinePvDetachTimeout,
    reattachMs: settings.machinePvReattachTimeout,
    evictRetries: settings.machineMaxEvictRetries,
  },
  startupTaint: settings.startupTaint ?? undefined,
});

/** Settings that a Machine may override. */
export interface MachineLimits {
  creationTimeoutMs: number;
  healthTimeoutMs: number;
  preserveTimeoutMs: number;
  inPlaceTimeoutMs: number;
  /** See `MachineView.limits.vmYouth`. */
  vmYouthMs: number;
  /** Node condition types that make a Machine unhealthy unless they are False. */
  nodeConditions: readonly string[];
  drain: DrainSettings;
  /** The taint that kubelets register with until their machine runs. */
  startupTaint: Taint | undefined;
}

/** Time-outs of a Machine: its own, else the controller's. */
export function limitsOf({ spec, metadata }: Machine, limits: MachineLimits): MachineView['limits'] {
  const annotated = parseDuration(metadata.annotations?.[ANNOTATION_CREATION_TIMEOUT] ?? '');
  const own = [annotated, parseDuration(spec?.creationTimeout ?? '')];
  return {
    // One that is not above 0 is taken for absent: it would end a creation before it begins (hack/decisions/0051 U49).
    creation: own.find((ms) => ms !== undefined && ms > 0) ?? limits.creationTimeoutMs,
    health: parseDuration(spec?.healthTimeout ?? '') ?? limits.healthTimeoutMs,
    inPlace: parseDuration(spec?.inPlaceUpdateTimeout ?? '') ?? limits.inPlaceTimeoutMs,
    preserve: parseDuration(spec?.machinePreserveTimeout ?? '') ?? limits.preserveTimeoutMs,
    vmYouth: limits.vmYouthMs,
  };
}

/** Settings of drains; times in milliseconds. */
export interface DrainSettings {
  timeoutMs: number;
  detachMs: number;
  reattachMs: number;
  evictRetries: number;
}
