import type { ComponentType } from 'react';
import type { StayButtonProps } from '../form/message-form.tsx';

/** The props of a resource's form, for create and edit. */
export interface ResourceFormProps<Values, Sent = Values> {
  initial: Values;
  isNew?: boolean;
  /** Label of the submit button: verb and noun. */
  submit: string;
  /** Saves without leaving the page. */
  stayButton?: ComponentType<StayButtonProps> | undefined;
  /** Read-only. */
  disabled?: boolean;
  onSubmit: (values: Sent) => Promise<unknown>;
  onSaved: () => void;
}

export type ResourceForm<Values, Sent = Values> = ComponentType<ResourceFormProps<Values, Sent>>;
