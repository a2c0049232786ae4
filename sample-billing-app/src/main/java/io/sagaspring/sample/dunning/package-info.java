/**
 * Dunning in loops of stories: one chain at a time goes through a loop, on whichever node. The lease says who, its token
 * stands in every story, and a story that is passed is never written again. Start reading at {@link
 * io.sagaspring.sample.dunning.DunningChain}.
 */
@NullMarked
package io.sagaspring.sample.dunning;

import org.jspecify.annotations.NullMarked;
