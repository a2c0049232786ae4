package com.example.shop.order;

import org.springframework.data.jpa.repository.JpaRepository;

interface Orders extends JpaRepository<PurchaseOrder, Long> {}
