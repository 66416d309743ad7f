import type { Gate, Gates } from './gate.ts';

/** A gate that was never shut. */
export const openGate: Gate = { judgesFrom: 0 };

/** Gates of which none is ever shut. */
export const openGates: Gates = { of: () => openGate };
