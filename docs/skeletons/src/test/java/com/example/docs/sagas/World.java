package com.example.docs.sagas;

/** What the saga of the page calls. Each honours the key that it is given. */
interface World {

    interface Payments {
        String charge(Order order, String key);

        void refund(String keyOfCharge, String key);
    }

    interface Courier {
        String ship(Order order, String callbackToken, String key);

        void cancel(String keyOfShipment, String key);
    }

    interface Mailer {
        String receipt(Order order, String key);
    }
}
