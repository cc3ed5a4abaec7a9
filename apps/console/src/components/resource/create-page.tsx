import type { Operations } from '@hilltop/contract';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useRef, useState } from 'react';
import { perform } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { nounOf, type Resource, titleOf } from '../../resources.ts';
import { useIDs } from '../link/use-ids.ts';
import { PageHeader } from '../page-header/page-header.tsx';
import { ReturnLink } from '../return-path/return-link.tsx';
import { useReturnPath } from '../return-path/use-return-path.ts';
import { Loaded } from '../states/loaded.tsx';
import { create, type GivenOf, messageIn, readOne } from './calls.ts';
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
  /** `?from=<id>` fills the form with a copy of that record; its name gets this suffix. */
  copySuffix?: string;
  /** What a copy does not contain. */
  notCopied?: string;
  /** What belongs to the original and is copied on request. */
  copyAlong?: { Choice: ComponentType<CopyChoiceProps>; requestOf: (from: string) => object };
}

export interface CopyChoiceProps {
  /** The ID of the original. */
  from: string;
  isChosen: boolean;
  onChange: (isChosen: boolean) => void;
}

/** The page that creates a resource, perhaps as a copy of another one; it returns to the list. */
export function CreatePage<R extends Resource, Values>(props: Props<R, Values>) {
  const { from }: { from?: string | number } = useSearch({ strict: false });
  if (from === undefined || props.copySuffix === undefined) return <BlankPage {...props} />;
  return <CopyPage {...props} key={from} from={String(from)} />;
}

const longestName = 100;

function CopyPage<R extends Resource, Values>({ from, ...props }: Props<R, Values> & { from: string }) {
  const { of, copySuffix = '', notCopied, copyAlong, children } = props;
  const [isChosen, setChosen] = useState(true);
  // The copy is made once: later changes of the original do not reach the form.
  const original = useQuery({ ...readOne(of, from), staleTime: Infinity });
  return (
    <Loaded isPage query={original}>
      {(answer) => {
        const { id: _id, ...message } = messageIn(of, answer) as { id: string; name: string };
        const name = `${message.name.slice(0, longestName - copySuffix.length)}${copySuffix}`;
        return (
          <BlankPage
            {...props}
            initial={{ ...message, name } as Values}
            more={copyAlong && isChosen ? copyAlong.requestOf(from) : {}}
          >
            <Text c="dimmed" mb="sm">
              A copy of {message.name}
              {notCopied && `, without ${notCopied}`}.
            </Text>
            {copyAlong && <copyAlong.Choice from={from} isChosen={isChosen} onChange={setChosen} />}
            {children}
          </BlankPage>
        );
      }}
    </Loaded>
  );
}

/** `more`: members of the request beside the record. */
function BlankPage<R extends Resource, Values>(props: Props<R, Values> & { more?: object }) {
  const { of, verb = 'Create', form: Form, initial, changed = [], more = {}, children } = props;
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
          const owned = organizationID === '' ? message : { ...message, organizationID };
          const answer = await perform(create(of, owned, more), {
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
