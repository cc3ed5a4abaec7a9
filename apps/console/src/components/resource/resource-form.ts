import type { ComponentType } from 'react';

/** What the form of a resource is given, whether it makes a new one or changes one. */
export interface ResourceFormProps<Values, Sent = Values> {
  initial: Values;
  isNew?: boolean;
  /** Label of the submit button: verb and noun. */
  submit: string;
  /** Nothing can be changed here. */
  disabled?: boolean;
  onSubmit: (values: Sent) => Promise<unknown>;
  onSaved: () => void;
}

export type ResourceForm<Values, Sent = Values> = ComponentType<ResourceFormProps<Values, Sent>>;
