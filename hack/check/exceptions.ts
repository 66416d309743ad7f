import type { Finding } from './source.ts';

/** A finding that we live with. */
export interface Exception {
  path: string;
  /** Part of the finding's sentence. */
  message: string;
  /** Why the file is better as it is. */
  because: string;
}

/** Few, and each with a reason; one that excuses nothing any more is itself a finding. */
export const exceptions: readonly Exception[] = [
  {
    path: 'controller/manager/metrics.ts',
    message: '"misc" in the name mcm_misc_scrape_failure_total',
    because: "the metric is MCM's, and alerts know it by this name",
  },
  {
    path: 'test/wire/mcmwords.ts',
    message: '"misc" in the name mcm_misc_scrape_failure_total',
    because: 'the same metric, as MCM has it',
  },
  {
    path: 'schemas/config/webhook.ts',
    message: 'no program reads the setting service',
    because: 'the schema makes names of it that stand in tlsServerNames, which is read',
  },
  {
    path: 'controller/runtime/random.ts',
    message: 'only tests use seededRandom',
    because:
      'simulations, benchmarks and tests of every folder draw from it: it stands beside the chance it stands for',
  },
  {
    path: 'schemas/config/mcm.ts',
    message: 'controller.ts alone imports',
    because: "MCM's flags are a list of their own, and ours fill a file",
  },
  ...['webhook/rules/kinds/machineclass.ts', 'webhook/rules/kinds/machinedrainrule.ts'].map((path) => ({
    path,
    message: 'registry.ts alone imports',
    because: 'each kind has a file of its rules, however few',
  })),
  {
    path: 'test/admission/machineclass.ts',
    message: 'cases.ts alone imports',
    because: 'each kind has a file of its cases, however few',
  },
  {
    path: 'hack/mutating/unlisted.ts',
    message: 'list.test.ts alone imports',
    because: 'it is the place to say why a finding has no mutation, and its test is not',
  },
  {
    path: 'test/api/support/injectedfaults.ts',
    message: 'alone imports',
    because: 'a process runs it by its path',
  },
];

/** The findings that no exception excuses, and the exceptions that excuse nothing. */
export function withoutExcused(findings: readonly Finding[], allowed: readonly Exception[]): Finding[] {
  const excuses = (one: Exception, { path, message }: Finding) => one.path === path && message.includes(one.message);
  const stale = allowed.filter((one) => !findings.some((finding) => excuses(one, finding)));
  return [
    ...findings.filter((finding) => !allowed.some((one) => excuses(one, finding))),
    ...stale.map(({ path, message }) => ({
      path,
      line: 1,
      message: `the exception "${message}" excuses nothing: remove it`,
    })),
  ];
}
