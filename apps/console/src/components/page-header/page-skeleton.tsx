import { Group, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import classes from './page-header.module.css';

/** A skeleton for the header and the tabs of an object's page, with their height. */
export function HeaderSkeleton({ hasFacts = true }: { hasFacts?: boolean }) {
  return (
    <div aria-busy="true">
      <VisuallyHidden>Loading</VisuallyHidden>
      <div className={classes.header} aria-hidden>
        <div className={classes.texts}>
          <div className={classes.crumbs}>
            <Line width={160} height={12} />
          </div>
          <Text component="div" fz="h1" lh="h1">
            <Line width={220} height={20} />
          </Text>
        </div>
        {hasFacts && (
          <div className={classes.factLine}>
            <div className={classes.facts}>
              {[180, 60, 130, 110].map((width) => (
                <div key={width} className={classes.fact}>
                  <Line width={width} height={14} />
                </div>
              ))}
            </div>
          </div>
        )}
      </div>
      <div className={classes.tabs} aria-hidden>
        {[60, 100, 80, 70].map((width) => (
          <div key={width} className={classes.tab}>
            <Line width={width} height={14} />
          </div>
        ))}
      </div>
    </div>
  );
}

/** A skeleton with the height of a line of text. */
const Line = (size: { width: number; height: number }) => (
  <>
    <Skeleton {...size} display="inline-block" style={{ verticalAlign: 'middle' }} />
    {'\u200b'}
  </>
);

/** The header skeleton with two cards below. */
export function PageSkeleton({ hasFacts = true }: { hasFacts?: boolean }) {
  return (
    <Stack gap={0} aria-busy="true">
      <HeaderSkeleton hasFacts={hasFacts} />
      <Group grow>
        <Skeleton height={180} />
        <Skeleton height={180} visibleFrom="sm" />
      </Group>
    </Stack>
  );
}
