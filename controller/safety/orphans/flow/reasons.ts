import type { EventTable } from '../../../flow/reasons.ts';

/** Events on the MachineClass whose list shows a VM without a Machine. */
export const orphanEvents = {
  OrphanFound: {
    type: 'Warning',
    says: 'A VM without a Machine is there, and stays: by policy, because of a freeze, or because nothing proves that it is ours.',
  },
  NamesakeFound: {
    type: 'Warning',
    says: 'A VM of another installation has the namespace and name of a Machine here: it is this installation’s, if that had another id before it was moved or restored.',
  },
  OrphanDeleted: { type: 'Normal', says: 'A VM without a Machine was deleted.' },
  OrphanDeletionFailed: {
    type: 'Warning',
    says: 'The driver did not delete a VM without a Machine: the next sweep tries again.',
  },
  OrphanNodeDeleted: { type: 'Normal', says: 'The Node of a VM without a Machine was deleted with it.' },
} as const satisfies EventTable;

/** Reasons of the condition `OrphansSwept` of a MachineClass. */
export const sweptReasons = {
  Swept: 'The driver lists the VMs of the class; those without a Machine are found.',
  NoListMethod: 'The driver cannot list VMs: VMs without a Machine are not found.',
  SecretNotFound: 'A Secret that the class names does not exist: the driver cannot be asked.',
  RefNotPermitted: 'The class names a Secret of another namespace, which is not read: the driver cannot be asked.',
  ListFailed: 'The driver did not list the VMs of the class: VMs without a Machine are not found.',
} as const;

/** Reasons of the condition `VMDeletionVerified` of a MachineClass. */
export const verifiedReasons = {
  StatusSupported: 'After each deletion the driver is asked until it no longer knows the VM.',
  StatusNotSupported: 'The driver cannot say whether a VM is there: what it answers to a deletion is believed.',
} as const;

/** One of them. */
export type VerifiedReason = keyof typeof verifiedReasons;

/** One of those. */
export type SweptReason = keyof typeof sweptReasons;
