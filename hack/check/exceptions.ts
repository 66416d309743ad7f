import type { Finding } from './source.ts';

/** A finding that we live with. */
export interface Exception {
  path: string;
  /** Part of the finding's sentence. */
  says: string;
  /** Why the file is better as it is. */
  because: string;
}

/** Few, and each with a reason; one that excuses nothing any more is itself a finding. */
export const exceptions: readonly Exception[] = [
  {
    path: 'controller/runtime/client/api.ts',
    says: '4 parameters',
    because: 'a patch says what, where and how, and takes its options last as every other call of Api does',
  },
  {
    path: 'controller/manager/metrics.ts',
    says: '"misc" in the name mcm_misc_scrape_failure_total',
    because: "the metric is MCM's, and alerts know it by this name",
  },
  {
    path: 'test/wire/mcmwords.ts',
    says: '"misc" in the name mcm_misc_scrape_failure_total',
    because: 'the same metric, as MCM has it',
  },
  {
    path: 'schemas/config/webhook.ts',
    says: 'no program reads the setting service',
    because: 'the schema makes names of it that stand in tlsServerNames, which is read',
  },
  {
    path: 'controller/runtime/random.ts',
    says: 'only tests use seededRandom',
    because:
      'simulations, benchmarks and tests of every folder draw from it: it stands beside the chance it stands for',
  },
];

/** The findings that no exception excuses, and the exceptions that excuse nothing. */
export function withoutExcused(findings: readonly Finding[], allowed: readonly Exception[]): Finding[] {
  const excuses = (one: Exception, { path, says }: Finding) => one.path === path && says.includes(one.says);
  const stale = allowed.filter((one) => !findings.some((finding) => excuses(one, finding)));
  return [
    ...findings.filter((finding) => !allowed.some((one) => excuses(one, finding))),
    ...stale.map(({ path, says }) => ({ path, line: 1, says: `the exception "${says}" excuses nothing: remove it` })),
  ];
}
