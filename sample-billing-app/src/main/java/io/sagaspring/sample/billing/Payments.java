package io.sagaspring.sample.billing;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;

interface Payments extends JpaRepository<Payment, Long> {

    List<Payment> findByInvoiceIdOrderById(long invoiceId);
}
