import type { Gate } from './gate.ts';
import type { Gates } from './gates.ts';

/** A gate that was never shut. */
export const openGate: Gate = { judgesFrom: 0 };

/** Gates of which none is ever shut. */
export const openGates: Gates = { of: () => openGate };
