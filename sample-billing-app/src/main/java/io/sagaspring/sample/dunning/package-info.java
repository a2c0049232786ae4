/**
 * Dunning: letters that remind a customer to pay. A <em>story</em> is one letter. A <em>loop</em> is an ordered list of
 * letters. A <em>chain</em> processes a loop: it works on each letter, marks it as <em>passed</em>, and mails it. Each
 * loop has at most one chain at a time, on the node that holds the loop's lease. The lease's token is stored with every
 * letter, and a letter that has passed is never changed again. Start reading at {@link
 * io.sagaspring.sample.dunning.DunningChain}.
 */
@NullMarked
package io.sagaspring.sample.dunning;

import org.jspecify.annotations.NullMarked;
