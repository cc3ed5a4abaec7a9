import type { Operations } from '@hilltop/contract';
import { type ReactNode, useRef } from 'react';
import { perform } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { nounOf, type Resource, titleOf } from '../../resources.ts';
import { useIDs } from '../link/use-ids.ts';
import { PageHeader } from '../page-header/page-header.tsx';
import { ReturnLink } from '../return-path/return-link.tsx';
import { useReturnPath } from '../return-path/use-return-path.ts';
import { create, type GivenOf } from './calls.ts';
import type { ResourceForm } from './resource-form.ts';

interface Props<R extends Resource, Values> {
  of: R;
  verb?: 'Create' | 'Add';
  form: ResourceForm<Values, GivenOf<R>>;
  initial: Values;
  /** Other resources that change. */
  changed?: (keyof Operations)[];
  /** Content above the form, such as the dialog for a missing prerequisite. */
  children?: ReactNode;
}

/** The page that creates a resource; it returns to the list. */
export function CreatePage<R extends Resource, Values>(props: Props<R, Values>) {
  const { of, verb = 'Create', form: Form, initial, changed = [], children } = props;
  const { organizationID } = useIDs();
  const { goBack } = useReturnPath();
  const made = useRef<string>(undefined);
  const list = paths[of].list(organizationID);
  const noun = nounOf(of);
  return (
    <>
      <PageHeader crumbs={[{ label: titleOf(of), to: list }]} title={`${verb} ${noun}`} />
      <ReturnLink usual={list} />
      {children}
      <Form
        initial={initial}
        isNew
        submit={`${verb} ${noun}`}
        onSubmit={async (message) => {
          const answer = await perform(create(of, organizationID === '' ? message : { ...message, organizationID }), {
            changed: [of, ...changed],
            done: `${noun} has been created`,
          });
          made.current = (answer as { id?: string }).id;
          return answer;
        }}
        onSaved={() => goBack(list, made.current)}
      />
    </>
  );
}
