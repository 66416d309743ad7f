import { LABEL_NODE } from '../../schemas/keys.ts';

type Labels = Readonly<Record<string, string>>;

/**
 * The labels of a template that a machine gets which is there already. Which Node is whose is no matter of a template:
 * whoever writes it would have the controller do what takes `override` (hack/decisions/0037).
 */
export function withoutNode(labels: Labels | undefined): Labels {
  const { [LABEL_NODE]: _claimed, ...rest } = labels ?? {};
  return rest;
}
