import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { paths } from '../../paths.ts';
import { type Resource, titleOf } from '../../resources.ts';
import { useIDs } from '../link/use-ids.ts';
import { PageHeader } from '../page-header/page-header.tsx';
import type { PageTab } from '../page-header/page-tabs.tsx';
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
  deletion?: Omit<Parameters<typeof DeleteResource>[0], 'of' | 'id' | 'name'>;
}

/** The page of an object that has only a form; it returns to the list. */
export function EditPage<R extends Resource>({ of, form, header, deletion }: Props<R>) {
  const ids = useIDs();
  const id = ids[`${of}ID`];
  const list = paths[of].list(ids.organizationID);
  return (
    <Loaded isPage query={useQuery(readOne(of, id))}>
      {(answer) => {
        const { name } = messageIn(of, answer) as { name: string };
        return (
          <>
            <PageHeader
              crumbs={[{ label: titleOf(of), to: list }]}
              title={name}
              {...header?.(answer)}
              actions={<DeleteResource of={of} id={id} name={name} {...deletion} />}
            />
            <EditForm of={of} id={id} form={form} to={list} />
          </>
        );
      }}
    </Loaded>
  );
}
