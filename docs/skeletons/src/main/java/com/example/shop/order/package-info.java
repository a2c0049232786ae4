/** Orders, which are shipped once, however often the button is pressed. Start reading at {@link OrderController}. */
@NullMarked
package com.example.shop.order;

import org.jspecify.annotations.NullMarked;
