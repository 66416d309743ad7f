import type { MachineSpec } from '../machinespec.ts';
import type { Capability } from '../providers/capabilities.ts';

/** A field of a machine's spec that comes true only with a driver that can. */
export interface DrivenField {
  /** Of the rule that refuses it. */
  id: string;
  /** Below the spec. */
  field: string;
  /** What the driver must be able to do; without it none can. */
  needs?: Capability;
  /** It asks for something, beyond what holds when it is left out. */
  asks(spec: MachineSpec): boolean;
  /** Goes on after the field: why it cannot come true, and what to do. */
  message: string;
  /** The schema refuses it in templates, whatever the driver can. */
  ownOnly?: true;
}

/** How the modes of power are spoken of when they are left out. */
const USUAL_MODE = 'TrySoft';

const asksMode = (mode: string | undefined): boolean => (mode ?? USUAL_MODE) !== USUAL_MODE;

/** Every field that a driver may be unable to bring about. */
export const drivenFields: readonly DrivenField[] = [
  {
    id: 'retain-possible',
    field: 'deletionPolicy',
    needs: 'retain',
    asks: ({ deletionPolicy }) => deletionPolicy === 'Retain',
    message: 'cannot be Retain: the driver cannot mark a VM as left on purpose; write Delete',
  },
  {
    id: 'power-possible',
    field: 'powerState',
    needs: 'power',
    asks: ({ powerState }) => Boolean(powerState) && powerState !== 'Suspended',
    message: 'cannot be set: the driver powers no VM on or off; leave it out',
  },
  {
    id: 'suspend-possible',
    field: 'powerState',
    needs: 'suspend',
    asks: ({ powerState }) => powerState === 'Suspended',
    message: 'cannot be Suspended: the driver suspends no VM; leave it out',
    ownOnly: true,
  },
  {
    id: 'power-off-mode-possible',
    field: 'powerOffMode',
    needs: 'power',
    asks: ({ powerOffMode }) => asksMode(powerOffMode),
    message: 'cannot be chosen: the driver powers no VM off; leave it out',
  },
  {
    id: 'suspend-mode-possible',
    field: 'suspendMode',
    needs: 'suspend',
    asks: ({ suspendMode }) => asksMode(suspendMode),
    message: 'cannot be chosen: the driver suspends no VM; leave it out',
  },
  {
    id: 'restart-mode-possible',
    field: 'restartMode',
    needs: 'restart',
    asks: ({ restartMode }) => asksMode(restartMode),
    message: 'cannot be chosen: the driver restarts no VM; leave it out',
  },
  {
    id: 'restart-possible',
    field: 'nextRestartTime',
    needs: 'restart',
    asks: ({ nextRestartTime }) => Boolean(nextRestartTime),
    message:
      'cannot be set: the driver restarts no VM; leave it out, and delete the Machine if a new VM serves as well',
    ownOnly: true,
  },
  {
    id: 'network-possible',
    field: 'network',
    needs: 'network',
    asks: ({ network }) => network?.disabled === true || Boolean(network?.interfaces?.length),
    message:
      'cannot be chosen: the driver gives VMs its own network; leave it out, and look for settings of the network in providerSpec',
  },
  {
    id: 'disks-possible',
    field: 'promoteDisksMode',
    needs: 'disks',
    asks: ({ promoteDisksMode }) => (promoteDisksMode ?? 'Disabled') !== 'Disabled',
    message:
      'cannot be Online or Offline: the driver makes no disk independent of its image; leave it out, or write Disabled',
  },
  {
    id: 'image-possible',
    field: 'image.ref',
    needs: 'images',
    asks: ({ image }) => Boolean(image?.ref),
    message:
      'cannot be chosen: the driver takes no image from here; leave image out, and name it in providerSpec where the driver has a field for it',
  },
  {
    id: 'image-name-possible',
    field: 'image.name',
    asks: ({ image }) => Boolean(image?.name),
    message:
      'cannot be set: there is no kind MachineImage yet; name the image by ref, or in providerSpec, as the driver has it',
  },
  {
    id: 'versions-possible',
    field: 'versions',
    needs: 'versions',
    asks: ({ versions }) => Boolean(versions?.kubelet) || Boolean(versions?.controlPlane),
    message:
      'cannot be chosen: the driver installs no version; leave it out, and choose an image, or user data, that has the version',
  },
];

/** The spec asks by this field for what a driver with these capabilities cannot do. */
export const isUnsupported = ({ needs, asks }: DrivenField, spec: MachineSpec, can: ReadonlySet<Capability>): boolean =>
  asks(spec) && (needs === undefined || !can.has(needs));
