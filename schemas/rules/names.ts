/** A Machine's name is a label value, too: a label has room for 63 characters, 6 of which are `-` and a random end. */
const LABEL = 63;
const END = 6;

/**
 * Room for names, in characters. A machine is called as its set, cut if need be, and a random end; a set is called as its
 * deployment and five characters of the template's hash (hack/spec/mcm.md 4.4, 5.4).
 */
export const NAME_ROOM = { label: LABEL, MachineSet: LABEL - END, MachineDeployment: LABEL - END - END } as const;

/** Whether machines carry only a part of the name of what makes them. */
export const isCutIn = (kind: 'MachineSet' | 'MachineDeployment', name: string): boolean =>
  name.length > NAME_ROOM[kind];

/** Whether the cut falls right behind a dot: what follows begins with `-`, which no part of a DNS name does. */
export const breaksMachineNames = (kind: 'MachineSet' | 'MachineDeployment', name: string): boolean =>
  (kind === 'MachineSet' ? name : `${name}-`).slice(0, NAME_ROOM.MachineSet).endsWith('.');
