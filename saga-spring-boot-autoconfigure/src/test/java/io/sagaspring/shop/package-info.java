/** A small application in which the tests run steps. Start reading at {@link io.sagaspring.shop.Shop}. */
@NullMarked
package io.sagaspring.shop;

import org.jspecify.annotations.NullMarked;
