import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { paths } from '../../paths.ts';
import { nounOf, type Resource, titleOf } from '../../resources.ts';
import { LastChangedLine } from '../last-changed/last-changed.tsx';
import { useIDs } from '../link/use-ids.ts';
import { PageHeader } from '../page-header/page-header.tsx';
import type { PageTab } from '../page-header/page-tabs.tsx';
import { type RecordFact, RecordHeader } from '../page-header/record-header.tsx';
import { FormPageSkeleton } from '../states/form-skeleton.tsx';
import { Loaded } from '../states/loaded.tsx';
import { type AnswerOf, type GivenOf, type MessageOf, messageIn, readOne } from './calls.ts';
import { DeleteResource } from './delete-resource.tsx';
import { EditForm } from './edit-form.tsx';
import type { ResourceForm } from './resource-form.ts';

interface Props<R extends Resource> {
  of: R;
  form: ResourceForm<MessageOf<R>, GivenOf<R>>;
  /** Content of the header beside the name. */
  header?: (answer: AnswerOf<R>) => { title?: string; badges?: ReactNode; tabs?: readonly PageTab[] };
  /** The key facts of the record, shown with its id below the title. */
  facts?: (message: MessageOf<R>) => readonly RecordFact[];
  /** Content between the header and the form. */
  notice?: ReactNode;
  /** Actions before *Delete*. */
  actions?: (id: string) => ReactNode;
  deletion?: Omit<Parameters<typeof DeleteResource>[0], 'of' | 'id' | 'name'>;
}

/** The page of an object that has only a form; it returns to the list. */
export function EditPage<R extends Resource>({ of, form, header, facts, notice, actions, deletion }: Props<R>) {
  const ids = useIDs();
  const id = ids[`${of}ID`];
  const list = paths[of].list(ids.organizationID);
  return (
    <Loaded isPage query={useQuery(readOne(of, id))} skeleton={<FormPageSkeleton hasFacts={facts !== undefined} />}>
      {(answer) => {
        const message = messageIn(of, answer);
        const { name } = message as { name: string };
        const shared = {
          crumbs: [{ label: titleOf(of), to: list }],
          title: name,
          actions: (
            <>
              {actions?.(id)}
              <DeleteResource of={of} id={id} name={name} {...deletion} />
            </>
          ),
          ...header?.(answer),
        };
        return (
          <>
            {facts ? (
              <RecordHeader
                {...shared}
                identifier={{ name: 'ID', value: id, of: `${nounOf(of)} ID` }}
                facts={facts(message)}
              />
            ) : (
              <PageHeader
                {...shared}
                badges={
                  <>
                    {shared.badges}
                    <LastChangedLine />
                  </>
                }
              />
            )}
            {notice}
            <EditForm of={of} id={id} form={form} to={list} />
          </>
        );
      }}
    </Loaded>
  );
}
