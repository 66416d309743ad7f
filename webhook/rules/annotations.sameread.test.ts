import { expect, test } from 'bun:test';
import { victimsMarked } from '../../controller/machinedeployment/flow/scaledown.ts';
import { setOf, view } from '../../controller/machinedeployment/flow/view.fixture.ts';
import { ANNOTATION_TRIGGER_DELETION } from '../../schemas/keys.ts';
import { factsOf } from '../../test/admission/facts.ts';
import { at, inPhase, machineDeployment } from '../../test/fixtures/objects.ts';
import { triggerDeletion } from './annotations.ts';

const T = at(10);

// hack/decisions/0051 U53: the rule says of ` b` that it is passed over (so does MCM, which looks for a machine of that name, hack/spec/mcm.md 4.11), and the controller marks it.
test.each([`a~${T}, b~${T}`, `a~${T},b~${T} `])('an entry that is told to be passed over is: %p', (text) => {
  const deployment = machineDeployment({ metadata: { annotations: { [ANNOTATION_TRIGGER_DELETION]: text } } });
  const { set } = setOf(deployment, 'set', { wants: 2 });
  const machines = ['a', 'b'].map((name) => inPhase('Running', 0, { metadata: { name, uid: `uid-${name}` } }));
  const isToldToBePassedOver = triggerDeletion.validate(deployment, undefined, factsOf()).length > 0;
  const outcome = victimsMarked(view(deployment, [{ set, machines }]));
  const list =
    outcome.kind === 'act' && outcome.action.do === 'annotate'
      ? outcome.action.annotations[ANNOTATION_TRIGGER_DELETION]
      : text;
  expect({ b: (list ?? '').includes('b~') }).toEqual({ b: !isToldToBePassedOver });
});
