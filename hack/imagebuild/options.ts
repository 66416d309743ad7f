import { resolve } from 'node:path';
import { type Read, readFlags } from '../lib/flags.ts';
import { type Arch, arches, defaultReference } from './facts.ts';

/** What `./hack/image` is asked for. */
export type Asked =
  | { do: 'build'; by: 'parts' | 'docker'; arches: Arch[]; reference: string; folder?: string }
  | { do: 'help' }
  | { do: 'refuse'; why: string };

const FLAGS = {
  arch: { type: 'string' },
  tag: { type: 'string' },
  out: { type: 'string' },
  docker: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** The text of `./hack/image --help`. */
export const help = `./hack/image: builds Drover's container image out of parts of this machine, without docker and without a registry.
It writes .drover/image/drover-<arch>.tar, which is an OCI image layout and what docker load and kind load image-archive
take; of several architectures drover.tar as well, one OCI image layout of all.

  --arch ARCH[,ARCH]  ${arches.join(' or ')} (as this machine); for another one its C library is fetched by apt-get
  --tag NAME[:TAG]    what the image is called (${defaultReference})
  --out FOLDER        where the archives are put (.drover/image)
  --docker            build by docker from hack/imagebuild/Dockerfile instead, whose base images docker pulls
  --help              this text
`;

/** A reference: registry and path, and a tag. */
const REFERENCE = /^[a-z0-9][a-z0-9._-]*(:\d+)?(\/[a-z0-9][a-z0-9._-]*)*(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?$/;

/** Reads the words after `./hack/image`. @param own the machine's architecture */
export function readOptions(words: readonly string[], own: string): Asked {
  const { values, wrong } = readFlags(words, FLAGS);
  if (values.help) return { do: 'help' };
  return wrong === undefined ? optionsOf(values, own) : refuse(wrong);
}

function optionsOf(values: Read<typeof FLAGS>['values'], own: string): Asked {
  const { arch = own, tag = defaultReference, out, docker } = values;
  const wanted = [...new Set(arch.split(','))];
  const known = arches.filter((one) => wanted.includes(one));
  if (known.length !== wanted.length) return refuse(`builds for ${arches.join(' and ')}, not for ${arch}`);
  if (!REFERENCE.test(tag)) return refuse(`takes a name such as ${defaultReference} with --tag, not "${tag}"`);
  if (docker && out !== undefined) return refuse('leaves the image with docker: leave --out out');
  if (docker && known.length > 1) return refuse('builds one architecture at a time with --docker');
  return {
    do: 'build',
    by: docker ? 'docker' : 'parts',
    arches: known,
    reference: withTag(tag),
    ...(out !== undefined && { folder: resolve(out) }),
  };
}

/** A name without a tag is of the version that is built. */
const withTag = (reference: string): string =>
  /:[^/]+$/.test(reference) ? reference : `${reference}${defaultReference.slice(defaultReference.indexOf(':'))}`;

const refuse = (why: string): Asked => ({ do: 'refuse', why: `./hack/image ${why}; see ./hack/image --help` });
