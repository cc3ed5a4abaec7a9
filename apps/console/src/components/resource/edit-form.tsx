import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { perform } from '../../api/queries.ts';
import { nounOf, type Resource } from '../../resources.ts';
import { useMay } from '../../session/session.tsx';
import { StayButton } from '../form/stay-button.tsx';
import { Loaded } from '../states/loaded.tsx';
import { type GivenOf, type MessageOf, messageIn, readOne, update } from './calls.ts';
import type { ResourceForm } from './resource-form.ts';

interface Props<R extends Resource> {
  of: R;
  id: string;
  form: ResourceForm<MessageOf<R>, GivenOf<R>>;
  /** Where to go after saving. */
  to: string;
}

/** The form of an existing object; read-only for users without permission. */
export function EditForm<R extends Resource>({ of, id, form: Form, to }: Props<R>) {
  const may = useMay();
  const navigate = useNavigate();
  return (
    <Loaded query={useQuery(readOne(of, id))}>
      {(answer) => (
        <Form
          key={id}
          initial={messageIn(of, answer)}
          submit={`Update ${nounOf(of)}`}
          stayButton={StayButton}
          disabled={!may(`${of}.update`)}
          onSubmit={(message) =>
            perform(update(of, message), { changed: [of], done: `${nounOf(of)} has been updated` })
          }
          onSaved={() => void navigate({ to })}
        />
      )}
    </Loaded>
  );
}
