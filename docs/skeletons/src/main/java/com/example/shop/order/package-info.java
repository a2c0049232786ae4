/** Orders, which are shipped once, whoever presses the button how often. Start reading at {@link OrderController}. */
@NullMarked
package com.example.shop.order;

import org.jspecify.annotations.NullMarked;
