package com.example.shop.order;

enum OrderStatus {
    PLACED,
    SHIPPING,
    SHIPPED
}
