import type { ErrorObject } from 'ajv/dist/2020';
import type { JsonSchema } from '../../schemas/jsonschema.ts';
import { assertWithinBounds, documentFault } from '../../schemas/providers/bounds.ts';
import type { Breach } from './breach.ts';
import { compile } from './compile.ts';
import { breachesOf } from './schemafaults.ts';
import { Effort, TooMuchWork } from './workbudget.ts';

/** Finds what is wrong with a document. */
export type Check = (document: unknown) => readonly Breach[];

/** Compiles a schema, once; `what` names it. Throws an Error for one that is beyond the bounds or no JSON Schema. */
export function compileCheck(what: string, schema: JsonSchema): Check {
  assertWithinBounds(what, schema);
  const effort = new Effort();
  const errorsOf = compiled(what, schema, effort);
  return (document) => {
    const fault = documentFault(document);
    if (fault !== undefined) return [{ says: fault }];
    effort.begin();
    try {
      return breachesOf(errorsOf(document));
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
      return [{ says: 'takes too much work to check: make it smaller, above all long lists and long texts' }];
    }
  };
}

function compiled(what: string, schema: JsonSchema, effort: Effort): (document: unknown) => readonly ErrorObject[] {
  try {
    const validates = compile(schema, effort);
    return (document) => (validates(document) ? [] : (validates.errors ?? []));
  } catch (cause) {
    throw new Error(`the JSON Schema of the ${what} cannot be compiled`, { cause });
  }
}
